import type { ComponentProps, ReactNode } from 'react';

type IconProps = Omit<ComponentProps<'svg'>, 'children'> & {
  /** Width and height in em. */
  readonly size?: number;
};

/** A decorative icon, which screen readers ignore. The text next to the icon has the same meaning. */
function Icon({ size = 1.1, d, shapes, ...rest }: IconProps & { readonly d: string; readonly shapes?: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={`${size}em`}
      height={`${size}em`}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      {...rest}
    >
      <path d={d} />
      {shapes}
    </svg>
  );
}

/**
 * Creates an icon component from an SVG path and optional further shapes. Each call is marked as `PURE`, so that
 * bundlers remove unused icons.
 */
const createIcon = (d: string, shapes?: ReactNode) => (props: IconProps) => <Icon {...props} d={d} shapes={shapes} />;

export const AlertIcon = /* @__PURE__ */ createIcon('M12 8v5m0 3.2v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z');
export const ArrowLeftIcon = /* @__PURE__ */ createIcon('M19 12H5m6-6-6 6 6 6');
export const ArrowRightIcon = /* @__PURE__ */ createIcon('M5 12h14m-6-6 6 6-6 6');
export const ArrowUpIcon = /* @__PURE__ */ createIcon('M12 19V5M6 11l6-6 6 6');
export const ChevronDownIcon = /* @__PURE__ */ createIcon('m6 9 6 6 6-6');
export const ChevronLeftIcon = /* @__PURE__ */ createIcon('m15 6-6 6 6 6');
export const ChevronRightIcon = /* @__PURE__ */ createIcon('m9 6 6 6-6 6');
export const ClockIcon = /* @__PURE__ */ createIcon('M12 7v5l3.2 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z');
export const CloseIcon = /* @__PURE__ */ createIcon('M6 6l12 12M18 6 6 18');
export const ExpandIcon = /* @__PURE__ */ createIcon('M14.5 4.5h5v5m0-5-6 6M9.5 19.5h-5v-5m0 5 6-6');
export const FlagIcon = /* @__PURE__ */ createIcon('M5 21V4m0 0h12l-2.5 4L17 12H5');
export const GlobeIcon = /* @__PURE__ */ createIcon(
  'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 0c2.4 2.4 3.6 5.4 3.6 9s-1.2 6.6-3.6 9' +
    'c-2.4-2.4-3.6-5.4-3.6-9S9.6 5.4 12 3ZM3 12h18',
);
export const HeartIcon = ({ filled = false, ...props }: IconProps & { readonly filled?: boolean }) => (
  <Icon
    {...props}
    fill={filled ? 'currentColor' : 'none'}
    d="M12 20s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.3a4.3 4.3 0 0 1 7.5 2.5C19.5 15.4 12 20 12 20Z"
  />
);
export const ImageIcon = /* @__PURE__ */ createIcon(
  'm4 16.5 4.5-4.5 3.5 3.5 3-3 5 5M15 9.2v.1',
  <rect x="3.5" y="4.5" width="17" height="15" rx="2.5" />,
);
export const LinkIcon = /* @__PURE__ */ createIcon(
  'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
);
export const MenuIcon = /* @__PURE__ */ createIcon('M4 7h16M4 12h16M4 17h16');
export const PencilIcon = /* @__PURE__ */ createIcon('M4 20h4L19.5 8.5a2.1 2.1 0 0 0-4-4L4 16v4ZM13.5 6.5l4 4');
export const PhoneIcon = /* @__PURE__ */ createIcon(
  'M5 4h4l1.5 4.5-2.2 1.6a12 12 0 0 0 5.6 5.6l1.6-2.2L20 15v4a1.5 1.5 0 0 1-1.6 1.5' +
    'A15.8 15.8 0 0 1 3.5 5.6 1.5 1.5 0 0 1 5 4Z',
);
export const PinIcon = /* @__PURE__ */ createIcon(
  'M12 21s-6.5-5.6-6.5-11a6.5 6.5 0 0 1 13 0c0 5.4-6.5 11-6.5 11Z',
  <circle cx="12" cy="10" r="2.3" />,
);
export const SearchIcon = /* @__PURE__ */ createIcon('m20 20-4.3-4.3', <circle cx="11" cy="11" r="6.5" />);
export const ShareIcon = /* @__PURE__ */ createIcon(
  'M12 15V4m-4 3.5L12 3.5l4 4M5 12.5V18a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5.5',
);
export const SlidersIcon = /* @__PURE__ */ createIcon(
  'M4 7h9m5 0h2M4 17h2m5 0h9',
  <>
    <circle cx="15.5" cy="7" r="2.3" />
    <circle cx="8.5" cy="17" r="2.3" />
  </>,
);
export const StarIcon = (props: IconProps) => (
  <Icon
    {...props}
    fill="currentColor"
    stroke="none"
    d="m12 3.5 2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-2.9L6.7 20l1.1-6L3.4 9.8l6-.8L12 3.5Z"
  />
);
export const TrashIcon = /* @__PURE__ */ createIcon('M4.5 7h15M10 7V4.5h4V7m-7.5 0 1 13h9l1-13M10.5 11v5m3-5v5');
export const VerifiedIcon = /* @__PURE__ */ createIcon(
  'm8.7 12.3 2.3 2.3 4.4-4.7M12 2.8l2.4 1.9 3-.2.8 3 2.5 1.7-1.1 2.8 1.1 2.8-2.5 1.7-.8 3-3-.2' +
    'L12 21.2l-2.4-1.9-3 .2-.8-3-2.5-1.7L4.4 12 3.3 9.2l2.5-1.7.8-3 3 .2L12 2.8Z',
);

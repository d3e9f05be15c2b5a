import { createIcon, Icon, type IconProps } from './icon.tsx';

export const AlertIcon = /* @__PURE__ */ createIcon('M12 8v5m0 3.2v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z');
export const ArrowLeftIcon = /* @__PURE__ */ createIcon('M19 12H5m6-6-6 6 6 6');
export const ArrowRightIcon = /* @__PURE__ */ createIcon('M5 12h14m-6-6 6 6-6 6');
export const ArrowUpIcon = /* @__PURE__ */ createIcon('M12 19V5M6 11l6-6 6 6');
export const ChevronDownIcon = /* @__PURE__ */ createIcon('m6 9 6 6 6-6');
export const ChevronRightIcon = /* @__PURE__ */ createIcon('m9 6 6 6-6 6');
export const CloseIcon = /* @__PURE__ */ createIcon('M6 6l12 12M18 6 6 18');
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
export const MenuIcon = /* @__PURE__ */ createIcon('M4 7h16M4 12h16M4 17h16');
export const SearchIcon = /* @__PURE__ */ createIcon('m20 20-4.3-4.3', <circle cx="11" cy="11" r="6.5" />);
export const SlidersIcon = /* @__PURE__ */ createIcon(
  'M4 7h9m5 0h2M4 17h2m5 0h9',
  <>
    <circle cx="15.5" cy="7" r="2.3" />
    <circle cx="8.5" cy="17" r="2.3" />
  </>,
);
export const VerifiedIcon = /* @__PURE__ */ createIcon(
  'm8.7 12.3 2.3 2.3 4.4-4.7M12 2.8l2.4 1.9 3-.2.8 3 2.5 1.7-1.1 2.8 1.1 2.8-2.5 1.7-.8 3-3-.2' +
    'L12 21.2l-2.4-1.9-3 .2-.8-3-2.5-1.7L4.4 12 3.3 9.2l2.5-1.7.8-3 3 .2L12 2.8Z',
);

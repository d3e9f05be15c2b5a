/**
 * Icons that only some pages show. A bundler puts a module into the first file that uses a part of it, so these icons
 * would otherwise be part of every first visit.
 */
import { createIcon, Icon, type IconProps } from './icon.tsx';

export const ChevronLeftIcon = /* @__PURE__ */ createIcon('m15 6-6 6 6 6');
export const ClockIcon = /* @__PURE__ */ createIcon('M12 7v5l3.2 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z');
export const ExpandIcon = /* @__PURE__ */ createIcon('M14.5 4.5h5v5m0-5-6 6M9.5 19.5h-5v-5m0 5 6-6');
export const FlagIcon = /* @__PURE__ */ createIcon('M5 21V4m0 0h12l-2.5 4L17 12H5');
export const LinkIcon = /* @__PURE__ */ createIcon(
  'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
);
export const PencilIcon = /* @__PURE__ */ createIcon('M4 20h4L19.5 8.5a2.1 2.1 0 0 0-4-4L4 16v4ZM13.5 6.5l4 4');
export const PhoneIcon = /* @__PURE__ */ createIcon(
  'M5 4h4l1.5 4.5-2.2 1.6a12 12 0 0 0 5.6 5.6l1.6-2.2L20 15v4a1.5 1.5 0 0 1-1.6 1.5' +
    'A15.8 15.8 0 0 1 3.5 5.6 1.5 1.5 0 0 1 5 4Z',
);
export const PinIcon = /* @__PURE__ */ createIcon(
  'M12 21s-6.5-5.6-6.5-11a6.5 6.5 0 0 1 13 0c0 5.4-6.5 11-6.5 11Z',
  <circle cx="12" cy="10" r="2.3" />,
);
export const ShareIcon = /* @__PURE__ */ createIcon(
  'M12 15V4m-4 3.5L12 3.5l4 4M5 12.5V18a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5.5',
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

import type { ComponentProps, ReactNode } from 'react';

export type IconProps = Omit<ComponentProps<'svg'>, 'children'> & {
  /** Width and height in em. */
  readonly size?: number;
};

/** A decorative icon, which screen readers ignore. The text next to the icon has the same meaning. */
export function Icon({
  size = 1.1,
  d,
  shapes,
  ...rest
}: IconProps & { readonly d: string; readonly shapes?: ReactNode }) {
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
export const createIcon = (d: string, shapes?: ReactNode) => (props: IconProps) => (
  <Icon {...props} d={d} shapes={shapes} />
);

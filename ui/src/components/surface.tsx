import type { ComponentProps, CSSProperties, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './surface.module.css';

/** A framed box for content about one topic. */
export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={classNames(styles['card'], className)} />;
}

export interface BadgeProps extends ComponentProps<'span'> {
  readonly tone?: 'neutral' | 'success' | 'accent' | 'danger';
}

export function Badge({ tone = 'neutral', className, ...rest }: BadgeProps) {
  return <span {...rest} className={classNames(styles['badge'], tone !== 'neutral' && styles[tone], className)} />;
}

export interface SkeletonProps {
  readonly width?: CSSProperties['inlineSize'];
  readonly height?: CSSProperties['blockSize'];
  readonly className?: string | undefined;
}

/**
 * A gray placeholder for content that is loading. Screen readers ignore it, because the surrounding `Loading` component
 * provides a text for them.
 */
export function Skeleton({ width = '100%', height = '1em', className }: SkeletonProps) {
  return (
    <div
      aria-hidden="true"
      className={classNames(styles['skeleton'], className)}
      style={{ inlineSize: width, blockSize: height }}
    />
  );
}

/** Content for screen readers only. */
export function VisuallyHidden({ children }: { readonly children: ReactNode }) {
  return <span className={styles['hidden']}>{children}</span>;
}

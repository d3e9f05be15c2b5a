import { useId } from 'react';
import { PRODUCT_NAME } from '@alpenglow/domain/contracts';
import { classNames } from './class-names.ts';
import styles from './logo.module.css';

function Sky({ id }: { readonly id: string }) {
  return (
    <linearGradient id={id} x1="0" y1="0" x2="0.25" y2="1">
      <stop offset="0" className={styles['night']} />
      <stop offset="0.55" className={styles['rose']} />
      <stop offset="1" className={styles['dawn']} />
    </linearGradient>
  );
}

/**
 * The symbol of the logo, which shows a mountain ridge. Screen readers ignore the symbol, because the product name is
 * next to it.
 */
export function LogoMark({ size = 28 }: { readonly size?: number }) {
  const sky = useId();
  return (
    <svg className={styles['mark']} viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <defs>
        <Sky id={sky} />
      </defs>
      <rect width="32" height="32" fill={`url(#${sky})`} />
      <path d="M0 24 7 16l4 4.5L19 10l13 15.5V32H0Z" fill="#fff" opacity="0.9" />
      <path d="M0 28.5 9 22l5 4 7-6.5L32 29v3H0Z" className={styles['near']} />
    </svg>
  );
}

/** The logo, which consists of the symbol and the product name. */
export function Logo() {
  return (
    <span className={styles['logo']}>
      <LogoMark />
      {PRODUCT_NAME}
    </span>
  );
}

/** A decorative wide picture of a mountain ridge for empty states. */
export function Ridge({ className }: { readonly className?: string | undefined }) {
  const sky = useId();
  return (
    <svg
      className={classNames(className)}
      viewBox="0 0 320 120"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <defs>
        <Sky id={sky} />
      </defs>
      {/* Both shapes extend below the lower edge. Otherwise a thin line of the sky would be visible at the edge. */}
      <rect width="320" height="122" fill={`url(#${sky})`} />
      <path className={styles['far']} d="M0 82 38 60l24 12 40-34 34 30 22-12 46 34 40-42 36 28 40-18v62H0Z" />
      <path className={styles['near']} d="M0 104 46 84l30 12 52-30 40 26 34-10 44 18 34-14 40 16v20H0Z" />
    </svg>
  );
}

import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import styles from './page.module.css';

export interface PageProps extends ComponentProps<'div'> {
  /** For forms and text: one column. */
  readonly narrow?: boolean;
}

/** Keeps a page's content to the width and the gutters all pages share. */
export function Page({ narrow = false, className, ...rest }: PageProps) {
  return <div {...rest} className={classNames(styles['page'], narrow && styles['narrow'], className)} />;
}

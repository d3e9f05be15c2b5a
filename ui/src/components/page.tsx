import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import styles from './page.module.css';

export interface PageProps extends ComponentProps<'div'> {
  /** True if the content is one narrow column, for example a form or a text. */
  readonly narrow?: boolean;
}

/** The content of a page, with the common width and margins. */
export function Page({ narrow = false, className, ...rest }: PageProps) {
  return <div {...rest} className={classNames(styles['page'], narrow && styles['narrow'], className)} />;
}

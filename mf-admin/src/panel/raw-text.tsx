import styles from './raw-text.module.css';

export interface RawTextProps {
  readonly label: string;
  /** True if long lines wrap. By default, long lines scroll horizontally. */
  readonly wraps?: boolean;
  readonly children: string;
}

/** A text that is displayed with its spaces and line breaks, such as a stack trace. */
export function RawText({ label, wraps = false, children }: RawTextProps) {
  return (
    <pre className={styles['raw']} data-wraps={wraps || undefined} role="region" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}

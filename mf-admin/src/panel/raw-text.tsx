import styles from './raw-text.module.css';

export interface RawTextProps {
  readonly label: string;
  /** Its long lines are broken; else they scroll sideways. */
  readonly wraps?: boolean;
  readonly children: string;
}

/** Text as a program wrote it, such as a stack trace. */
export function RawText({ label, wraps = false, children }: RawTextProps) {
  return (
    <pre className={styles['raw']} data-wraps={wraps || undefined} role="region" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}

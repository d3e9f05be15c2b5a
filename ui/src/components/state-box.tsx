import type { ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { AlertIcon } from '../icons/icons.tsx';
import { Button } from './button.tsx';
import { Ridge } from './logo.tsx';
import styles from './state-box.module.css';

export interface EmptyStateProps {
  readonly title: ReactNode;
  /** What to change, or what will be here. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles['empty']}>
      <Ridge className={styles['ridge']} />
      {typeof title === 'string' ? <h2>{title}</h2> : title}
      {children != null && <div>{children}</div>}
      {actions != null && <div className={styles['actions']}>{actions}</div>}
    </div>
  );
}

export interface ErrorBoxProps {
  /** The message, as the server or the catalogue words it. */
  readonly message: string;
  readonly children?: ReactNode;
  readonly onRetry?: (() => void) | undefined;
  readonly retryLabel?: string;
  readonly actions?: ReactNode;
}

/** Says what went wrong, at once to a screen reader, with a way on. */
export function ErrorBox({ message, children, onRetry, retryLabel, actions }: ErrorBoxProps) {
  const t = useUiText();
  return (
    <div role="alert" className={styles['error']}>
      <AlertIcon size={1.3} />
      <div>
        <strong>{message}</strong>
        {children != null && <p>{children}</p>}
      </div>
      <div className={styles['actions']}>
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            {retryLabel ?? t('common.retry')}
          </Button>
        )}
        {actions}
      </div>
    </div>
  );
}

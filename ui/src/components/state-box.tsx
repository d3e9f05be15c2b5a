import type { ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { AlertIcon } from '../icons/icons.tsx';
import { Button, LinkButton } from './button.tsx';
import { Ridge } from './logo.tsx';
import styles from './state-box.module.css';

export interface EmptyStateProps {
  readonly title: ReactNode;
  /** Explains why the box is empty or what the visitor can do. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** A link to another page, which is shown instead of `actions`. */
  readonly link?: { readonly to: string; readonly text: string };
}

export function EmptyState({ title, children, actions, link }: EmptyStateProps) {
  return (
    <div className={styles['empty']}>
      <Ridge className={styles['ridge']} />
      {typeof title === 'string' ? <h2>{title}</h2> : title}
      {children != null && <div>{children}</div>}
      {actions != null && <div className={styles['actions']}>{actions}</div>}
      {link && (
        <div className={styles['actions']}>
          <LinkButton to={link.to} variant="primary">
            {link.text}
          </LinkButton>
        </div>
      )}
    </div>
  );
}

export interface ErrorBoxProps {
  /** The message. If it has several lines, the last one is the reference of a request (`messageOf`). */
  readonly message: string;
  readonly children?: ReactNode;
  readonly onRetry?: (() => void) | undefined;
  readonly actions?: ReactNode;
}

/** Shows an error with actions. Screen readers announce the error immediately. */
export function ErrorBox({ message, children, onRetry, actions }: ErrorBoxProps) {
  const t = useUiText();
  const [, text = message, reference] = /^(.*)\n(.*)$/su.exec(message) ?? [];
  return (
    <div role="alert" className={styles['error']}>
      <AlertIcon size={1.3} />
      <div>
        <strong>{text}</strong>
        {reference && <p>{reference}</p>}
        {children != null && <p>{children}</p>}
      </div>
      <div className={styles['actions']}>
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )}
        {actions}
      </div>
    </div>
  );
}

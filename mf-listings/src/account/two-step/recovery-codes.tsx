import { Button, Dialog, saveFile, useHost } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './two-step.module.css';

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** Whose they are. */
  readonly email: string;
  readonly onClose: () => void;
}

/** The recovery codes, shown this once. The dialog closes by its button alone. */
export function RecoveryCodes({ codes, email, onClose }: RecoveryCodesProps) {
  const t = useText();
  const { notify } = useHost();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'));
      notify({ text: t('twoStep.copied'), tone: 'success' });
    } catch {
      notify({ text: t('twoStep.notCopied'), tone: 'danger' });
    }
  };
  const actions = (
    <Button variant="primary" onClick={onClose}>
      {t('twoStep.kept')}
    </Button>
  );
  return (
    <Dialog open title={t('twoStep.codesTitle')} actions={actions}>
      <p>{t('twoStep.codesText')}</p>
      <ul role="list" className={styles['codes']} aria-label={t('twoStep.codesTitle')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles['row']}>
        <Button onClick={() => void copy()}>{t('twoStep.copy')}</Button>
        <Button
          onClick={() =>
            saveFile(
              new File([`Alpenglow ${email}\n\n${codes.join('\n')}\n`], 'alpenglow-recovery-codes.txt', {
                type: 'text/plain',
              }),
            )
          }
        >
          {t('twoStep.download')}
        </Button>
      </div>
    </Dialog>
  );
}

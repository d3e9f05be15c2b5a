import { Button, Dialog, layout, saveFile, useHost } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './two-step.module.css';

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly email: string;
  readonly onClose: () => void;
}

/**
 * Shows the recovery codes once. Only the button in the dialog closes it, so that the user does not close it by
 * accident.
 */
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
  const download = () => {
    const text = `Alpenglow ${email}\n\n${codes.join('\n')}\n`;
    saveFile(new File([text], 'alpenglow-recovery-codes.txt', { type: 'text/plain' }));
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
      <div className={layout['row2']}>
        <Button onClick={() => void copy()}>{t('twoStep.copy')}</Button>
        <Button onClick={download}>{t('twoStep.download')}</Button>
      </div>
    </Dialog>
  );
}

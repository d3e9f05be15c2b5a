import { useState } from 'react';
import type { UserView } from '@alpenglow/domain/contracts';
import { Button, downloadSignedIn, ErrorBox, messageOf, saveFile, useApi, useSend } from '@alpenglow/ui';
import styles from '../account.module.css';
import { EraseDialog } from './erase-dialog.tsx';
import { useText } from './text.ts';

/** The section that exports or erases the user's stored data (T-14, T-15). */
export function OwnDataSection({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const [isErasing, setErasing] = useState(false);
  const exportData = useSend({ mutationFn: () => downloadSignedIn(api, '/account/export'), onSuccess: saveFile });
  return (
    <section className={styles['form']} aria-labelledby="own-data">
      <h3 id="own-data">{t('ownData.title')}</h3>
      <p>{t('ownData.exportText')}</p>
      {exportData.isError && <ErrorBox message={messageOf(exportData.error, t('ownData.exportFailed'))} />}
      <div className={styles['row']}>
        <Button busy={exportData.isPending} onClick={() => exportData.mutate()}>
          {exportData.isPending ? t('ownData.exporting') : t('ownData.export')}
        </Button>
        <p role="status" className={styles['done']}>
          {exportData.isSuccess && t('ownData.exported')}
        </p>
      </div>
      <p>{t('ownData.eraseText')}</p>
      {!user.isEmailVerified && <p>{t('ownData.needsEmail')}</p>}
      <div>
        <Button variant="danger" disabled={!user.isEmailVerified} onClick={() => setErasing(true)}>
          {t('ownData.erase')}
        </Button>
      </div>
      {isErasing && <EraseDialog email={user.email} onClose={() => setErasing(false)} />}
    </section>
  );
}

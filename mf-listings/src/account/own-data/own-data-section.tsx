import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { UserView } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, messageOf, saveFile, useApi } from '@alpenglow/ui';
import styles from '../account.module.css';
import { EraseDialog } from './erase-dialog.tsx';
import { useText } from './text.ts';

/** What is held about the user: theirs to have, and to have erased (design, trust and privacy, "Personal data"). */
export function OwnDataSection({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const [isErasing, setErasing] = useState(false);
  const fetchAll = useMutation({ mutationFn: () => api.downloadSignedIn('/account/export'), onSuccess: saveFile });
  return (
    <section className={styles['form']} aria-labelledby="own-data">
      <h3 id="own-data">{t('ownData.title')}</h3>
      <p>{t('ownData.exportText')}</p>
      {fetchAll.isError && <ErrorBox message={messageOf(fetchAll.error, t('ownData.exportFailed'))} />}
      <div className={styles['row']}>
        <Button busy={fetchAll.isPending} onClick={() => fetchAll.mutate()}>
          {fetchAll.isPending ? t('ownData.exporting') : t('ownData.export')}
        </Button>
        <p role="status" className={styles['done']}>
          {fetchAll.isSuccess && t('ownData.exported')}
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

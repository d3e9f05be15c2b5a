import { Button, LinkButton, UploadProgress, type BackgroundUploads } from '@alpenglow/ui';
import { useText } from '../../text.ts';
import styles from './uploads-notice.module.css';

/** The progress of the uploads of one form. */
export default function FormUploads({
  uploads: { files, share, isWaiting, to, cancel },
}: {
  readonly uploads: BackgroundUploads;
}) {
  const t = useText();
  const text = t('uploads', { files });
  return (
    <div role="group" aria-label={text} className={styles['notice']}>
      <p>{text}</p>
      <UploadProgress share={share} label={text} />
      {isWaiting && <p className={styles['waiting']}>{t('uploadsWaiting')}</p>}
      <div className={styles['actions']}>
        <LinkButton to={to} size="small">
          {t('uploadsForm')}
        </LinkButton>
        <Button size="small" variant="quiet" onClick={cancel}>
          {t('uploadsCancel')}
        </Button>
      </div>
    </div>
  );
}

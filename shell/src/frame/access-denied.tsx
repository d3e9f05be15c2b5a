import type { UserView } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';
import styles from './access-denied.module.css';

/** Explains to a user without a staff role why the admin area did not open. */
export default function AccessDenied({ user }: { readonly user: UserView }) {
  const t = useText();
  return (
    <div role="alert" className={styles['notice']}>
      <strong>{t('staffOnlyTitle')}</strong>
      <p>{t('staffOnlyText', { name: user.displayName })}</p>
    </div>
  );
}

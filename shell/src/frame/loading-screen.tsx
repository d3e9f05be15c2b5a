import { LogoMark } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './screens.module.css';

/** The screen that is shown while a page or the user data is loading. */
export function LoadingScreen() {
  const t = useText();
  return (
    <div className={styles['screen']} role="status">
      <span className={styles['pulse']}>
        <LogoMark size={40} />
      </span>
      <p>{t('loading')}</p>
    </div>
  );
}

import { LogoMark } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './screens.module.css';

/** While a page, or the user, is loading (specification, section 2). */
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

import { Explanation, VerifiedIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './verified-mark.module.css';

/**
 * A mark for verified providers, with an explanation for mouse, keyboard and screen readers. It is a button, so it must
 * not be inside a link.
 */
export function VerifiedMark() {
  const t = useText();
  const meaning = t('verifiedMeaning');
  return (
    <Explanation
      label={`${t('verified')}: ${meaning}`}
      title={meaning}
      className={styles['mark']}
      explanation={
        <>
          <strong className={styles['meaning']}>{t('verified')}</strong> {meaning}
        </>
      }
    >
      <VerifiedIcon />
    </Explanation>
  );
}

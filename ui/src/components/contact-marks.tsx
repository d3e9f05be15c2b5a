import { Fragment } from 'react';
import { CONTACT_MARK } from '@alpenglow/domain/contracts';
import { useUiText } from '../i18n/text.tsx';
import { Explanation } from './explanation.tsx';
import styles from './contact-marks.module.css';

interface ContactMarksProps {
  readonly text: string;
  /** True inside a link or a bar. The marks are then no buttons, and show their explanation only to a mouse. */
  readonly isLinked?: boolean;
}

/**
 * Shows a text of an ad or a review. Each mark that replaces a contact detail is a button that explains it.
 * The text is never interpreted as HTML.
 */
export function ContactMarks({ text, isLinked = false }: ContactMarksProps) {
  const t = useUiText();
  if (!text.includes(CONTACT_MARK)) return text;
  const explanation = t('common.contactHidden');
  return text.split(CONTACT_MARK).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && !isLinked && (
        <Explanation
          label={t('common.contactMark')}
          title={explanation}
          className={styles['mark']}
          explanation={explanation}
        >
          •••
        </Explanation>
      )}
      {index > 0 && isLinked && (
        <span role="img" className={styles['mark']} aria-label={explanation} title={explanation}>
          •••
        </span>
      )}
      {part}
    </Fragment>
  ));
}

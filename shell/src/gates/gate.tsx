import { Button, Logo, Ridge } from '@alpenglow/ui';
import { useEffect, useRef, type ReactNode } from 'react';
import { LanguageChoice } from '../frame/choices.tsx';
import { useText } from '../text.ts';
import styles from './gate.module.css';

const SEARCH_ENGINE_URL = 'https://duckduckgo.com/';

interface GateProps {
  /** The identifier of the question. When it changes, the focus moves to the heading. */
  readonly question: 'age' | 'guidelines';
  readonly title: string;
  readonly children: ReactNode;
  readonly enterLabel: string;
  readonly leaveLabel: string;
  readonly onEnter: () => void;
}

/**
 * A question, for example about the visitor's age. It is shown instead of every page until the visitor agrees. A
 * visitor who declines leaves the site.
 */
function Gate({ question, title, children, enterLabel, leaveLabel, onEnter }: GateProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [question]);
  return (
    <main className={styles['gate']}>
      <Ridge className={styles['sky']} />
      <div className={styles['card']}>
        <Logo />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
        <div className={styles['actions']}>
          <Button variant="primary" onClick={onEnter}>
            {enterLabel}
          </Button>
          <Button variant="quiet" onClick={() => location.replace(SEARCH_ENGINE_URL)}>
            {leaveLabel}
          </Button>
        </div>
        <div className={styles['language']}>
          <LanguageChoice />
        </div>
      </div>
    </main>
  );
}

export function AgeGate({ onConfirm }: { readonly onConfirm: () => void }) {
  const t = useText();
  return (
    <Gate question="age" title={t('ageTitle')} enterLabel={t('ageEnter')} leaveLabel={t('ageExit')} onEnter={onConfirm}>
      <p>{t('ageText')}</p>
    </Gate>
  );
}

const GUIDELINES = ['guidelines.1', 'guidelines.2', 'guidelines.3', 'guidelines.4', 'guidelines.5'] as const;

export function GuidelinesGate({ onAccept }: { readonly onAccept: () => void }) {
  const t = useText();
  return (
    <Gate
      question="guidelines"
      title={t('guidelinesTitle')}
      enterLabel={t('guidelinesAccept')}
      leaveLabel={t('guidelinesDecline')}
      onEnter={onAccept}
    >
      <p>{t('guidelinesIntro')}</p>
      <ul className={styles['rules']}>
        {GUIDELINES.map((id) => (
          <li key={id}>{t(id)}</li>
        ))}
      </ul>
    </Gate>
  );
}

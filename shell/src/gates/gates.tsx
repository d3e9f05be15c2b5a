import { Button, decodeUrlPart, Logo } from '@alpenglow/ui';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { QuickExit } from '../exit/quick-exit.tsx';
import { LanguageChoice } from '../frame/choices.tsx';
import { useText } from '../text.ts';
import type { Question, useConsent } from './use-consent.ts';
import { ignorePresses } from './ignore-presses.ts';
import styles from './gate.module.css';

interface GateProps {
  readonly question: Question;
  readonly title: string;
  readonly children: ReactNode;
  readonly enterLabel: string;
  readonly leaveLabel: string;
  readonly onEnter: () => void;
}

/**
 * A question that covers every page until the visitor agrees. A visitor who declines leaves the site. The attribute
 * `data-gate` of the document decides which question is visible (shell/server/inline/first-state.ts).
 */
function Gate({ question, title, children, enterLabel, leaveLabel, onEnter }: GateProps) {
  const titleId = useId();
  return (
    <div role="dialog" aria-modal="true" aria-labelledby={titleId} className={styles['gate']} data-question={question}>
      <div className={styles['card']}>
        <div className={styles['top']}>
          <Logo />
          <QuickExit />
        </div>
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        {children}
        <div className={styles['actions']} data-actions="">
          {/* `pointer-events` does not stop the keyboard, so its presses are ignored here. */}
          <Button
            variant="primary"
            onClick={({ currentTarget }) => {
              if (!currentTarget.parentElement?.style.pointerEvents) onEnter();
            }}
          >
            {enterLabel}
          </Button>
          <Button variant="quiet" data-leave-site="">
            {leaveLabel}
          </Button>
        </div>
        <div className={styles['language']}>
          <LanguageChoice />
        </div>
      </div>
    </div>
  );
}

type GatesProps = Pick<ReturnType<typeof useConsent>, 'consent' | 'question' | 'confirmAge' | 'acceptGuidelines'>;

/**
 * The question that the visitor must accept next. Server-rendered HTML contains both questions, because the server does
 * not know the visitor's consents.
 */
export function Gates({ consent, question, confirmAge, acceptGuidelines }: GatesProps) {
  const root = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  const isKnown = consent !== null;
  useEffect(() => {
    if (!isKnown) return;
    if (question === null) delete document.documentElement.dataset['gate'];
    else document.documentElement.dataset['gate'] = question;
    // The attribute may be from the server's page, which React does not know.
    const frame = document.querySelector<HTMLElement>('[data-frame]');
    if (frame) frame.inert = question !== null;
    const heading =
      question === null ? (wasOpen.current ? frame?.querySelector('h1') : null) : root.current?.querySelector('h2');
    // The page could not scroll to the place in its URL before.
    if (question === null && wasOpen.current)
      document.getElementById(decodeUrlPart(location.hash.slice(1)))?.scrollIntoView({ behavior: 'instant' });
    const appeared = question === null ? frame : root.current?.querySelector<HTMLElement>('[data-actions]');
    if (wasOpen.current && appeared) ignorePresses(appeared);
    wasOpen.current = question !== null;
    heading?.focus({ preventScroll: true });
  }, [isKnown, question]);
  return (
    <div ref={root}>
      {(!isKnown || question === 'age') && <AgeGate onConfirm={confirmAge} />}
      {(!isKnown || question === 'guidelines') && <GuidelinesGate onAccept={acceptGuidelines} />}
    </div>
  );
}

function AgeGate({ onConfirm }: { readonly onConfirm: () => void }) {
  const t = useText();
  return (
    <Gate question="age" title={t('ageTitle')} enterLabel={t('ageEnter')} leaveLabel={t('ageExit')} onEnter={onConfirm}>
      <p>{t('ageText')}</p>
    </Gate>
  );
}

const GUIDELINES = ['guidelines.1', 'guidelines.2', 'guidelines.3', 'guidelines.4', 'guidelines.5'] as const;

function GuidelinesGate({ onAccept }: { readonly onAccept: () => void }) {
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

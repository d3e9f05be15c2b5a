import { Button, Logo, Ridge } from '@alpenglow/ui';
import { useEffect, useRef, type ReactNode } from 'react';
import { messages, SEARCH_ENGINE_URL } from '../messages.ts';
import styles from './gate.module.css';

interface GateProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly enterLabel: string;
  readonly leaveLabel: string;
  readonly onEnter: () => void;
}

/** Stands before every page until its question is answered with yes; the other answer leads away from the site. */
function Gate({ title, children, enterLabel, leaveLabel, onEnter }: GateProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
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
      </div>
    </main>
  );
}

export function AgeGate({ onConfirm }: { readonly onConfirm: () => void }) {
  return (
    <Gate title={messages.ageTitle} enterLabel={messages.ageEnter} leaveLabel={messages.ageExit} onEnter={onConfirm}>
      <p>{messages.ageText}</p>
    </Gate>
  );
}

export function GuidelinesGate({ onAccept }: { readonly onAccept: () => void }) {
  return (
    <Gate title={messages.guidelinesTitle} enterLabel={messages.guidelinesAccept} leaveLabel={messages.guidelinesDecline} onEnter={onAccept}>
      <p>{messages.guidelinesIntro}</p>
      <ul className={styles['rules']}>
        {messages.guidelines.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </Gate>
  );
}

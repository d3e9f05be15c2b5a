import type { ReactNode } from 'react';
import { ConfirmDialog, messageOf } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { SentDecision, useDecide } from './use-decide.ts';
import styles from './case-page.module.css';

interface ConfirmDecisionProps<Decision> {
  /** The decision that the moderator has entered. Null if there is none to confirm. */
  readonly unconfirmed: SentDecision<Decision> | null;
  readonly decide: ReturnType<typeof useDecide<Decision>>;
  readonly confirmLabel: string;
  readonly onCancel: () => void;
  /** Renders what the decision causes. The facts are shown below. */
  readonly children: (decision: Decision) => ReactNode;
}

/** A dialog that shows a decision with its facts, and sends it when the moderator confirms. */
export function ConfirmDecision<Decision extends { readonly facts: string }>({
  unconfirmed,
  decide,
  confirmLabel,
  onCancel,
  children,
}: ConfirmDecisionProps<Decision>) {
  const t = useText();
  return (
    <ConfirmDialog
      open={unconfirmed !== null}
      title={t('moderation.confirmTitle')}
      confirmLabel={confirmLabel}
      cancelLabel={t('common.cancel')}
      danger
      busy={decide.isPending}
      problem={decide.isError ? messageOf(decide.error, t('moderation.decideFailed')) : null}
      onCancel={onCancel}
      onConfirm={() => {
        if (unconfirmed !== null) decide.mutate(unconfirmed);
      }}
    >
      {unconfirmed !== null && (
        <>
          {children(unconfirmed.decision)}
          <p className={styles['words']} dir="auto">
            {unconfirmed.decision.facts}
          </p>
        </>
      )}
    </ConfirmDialog>
  );
}

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { LogEntryView, ProofResponse } from '@alpenglow/domain/contracts';
import { Button, QueryView, useApi } from '@alpenglow/ui';
import { proofQuery } from './api.ts';
import { useText } from '../text.ts';
import styles from './log-page.module.css';

/** Shows the data of an entry in the moderation log. A button shows the proof that the entry was not changed. */
export function EntryDetails({ entry }: { readonly entry: LogEntryView }) {
  const t = useText();
  const [isProofShown, setProofShown] = useState(false);
  return (
    <div className={styles['details']}>
      <dl>
        <dt>{t('log.of')}</dt>
        <dd>
          {entry.stream} · {entry.revision}
        </dd>
        {Object.entries(entry.facts).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
        <dt>{t('log.hash')}</dt>
        <dd>
          <code>{entry.hash}</code>
        </dd>
        <dt>{t('log.dataHash')}</dt>
        <dd>
          <code>{entry.dataHash}</code>
        </dd>
      </dl>
      {isProofShown ? (
        <Proof eventId={entry.eventId} />
      ) : (
        <Button onClick={() => setProofShown(true)}>{t('log.showProof')}</Button>
      )}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  );
}

function Proof({ eventId }: { readonly eventId: string }) {
  const t = useText();
  const proof = useQuery(proofQuery(useApi(), eventId));
  return (
    <QueryView query={proof} failedText={t('log.failed')} loadingHeight="6rem">
      {({ data }) => (data ? <ProofSteps proof={data} /> : <p>{t('log.noProof')}</p>)}
    </QueryView>
  );
}

function ProofSteps({ proof: { root, steps } }: { readonly proof: NonNullable<ProofResponse['data']> }) {
  const t = useText();
  return (
    <dl>
      <dt>{t('log.proofRoot', { day: root.day })}</dt>
      <dd>
        <code>{root.root}</code>
      </dd>
      <dt>{t('log.proofSteps', { count: steps.length })}</dt>
      <dd>
        <ol>
          {steps.map(({ side, hash }) => (
            <li key={hash}>
              <code>
                {side} {hash}
              </code>
            </li>
          ))}
        </ol>
      </dd>
    </dl>
  );
}

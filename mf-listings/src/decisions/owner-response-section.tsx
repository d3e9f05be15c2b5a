import { responseFields, type StatementView } from '@alpenglow/domain/contracts';
import { Card, useApi } from '@alpenglow/ui';
import { getStatementsKey, respond, type StatementReader } from './api.ts';
import { OwnerTextForm } from './owner-text-form.tsx';
import { useText } from './text.ts';
import styles from './decisions.module.css';

interface OwnerResponseSectionProps {
  readonly statement: StatementView;
  readonly reader: StatementReader;
}

/**
 * Shows the response of the owner to an automated decision, or the form for it. Shows nothing if a response is
 * not possible.
 */
export function OwnerResponseSection({ statement: { id, canRespond, response }, reader }: OwnerResponseSectionProps) {
  const t = useText();
  const api = useApi();
  const isPossible = canRespond && 'viewer' in reader;
  if (response === null && !isPossible) return null;
  return (
    <Card>
      <section className={styles['appeal']} aria-labelledby="response">
        <h2 id="response">{t('decisions.responseTitle')}</h2>
        {response === null ? (
          <OwnerTextForm
            fields={responseFields}
            draftName={`response.${id}`}
            explanation={t('decisions.responseText')}
            label={t('decisions.responseLabel')}
            button={t('decisions.responseSend')}
            sent={t('decisions.responded')}
            failed={t('decisions.responseFailed')}
            send={(text, key) => respond(api, id, text, key)}
            changes={[getStatementsKey(reader)]}
          />
        ) : (
          <p className={styles['words']} dir="auto">
            {response.text}
          </p>
        )}
      </section>
    </Card>
  );
}

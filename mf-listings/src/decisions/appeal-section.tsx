import { adKeys, Badge, Card, useApi, useLocale } from '@alpenglow/ui';
import { appealFields, isAppealableOutcome, type StatementView } from '@alpenglow/domain/contracts';
import { fileAppeal, getStatementsKey, type StatementReader } from './api.ts';
import { OwnerTextForm } from './owner-text-form.tsx';
import { useText } from './text.ts';
import styles from './decisions.module.css';

export interface AppealSectionProps {
  readonly statement: StatementView;
  readonly reader: StatementReader;
}

/**
 * Shows the state of the appeal against a moderation decision. Without an appeal, shows the form for an appeal, or a
 * note that the time limit for an appeal is over.
 */
export function AppealSection({ statement, reader }: AppealSectionProps) {
  const t = useText();
  const { appeal: filed, appealableUntil, outcome, isAutomated, isInForce } = statement;
  // The decision left the content unchanged, so there is nothing to appeal.
  if (filed === null && appealableUntil === null && !isAppealableOutcome(outcome)) return null;
  // A newer decision has replaced the automated one, and has its own statement.
  if (isAutomated && !isInForce) return null;
  return (
    <Card>
      <section className={styles['appeal']} aria-labelledby="appeal">
        <h2 id="appeal">{t('decisions.appealTitle')}</h2>
        {filed !== null && <FiledAppeal appeal={filed} />}
        {filed === null &&
          (appealableUntil === null ? (
            <p>{t(isAutomated ? 'decisions.appealLater' : 'decisions.noAppeal')}</p>
          ) : (
            <AppealForm id={statement.id} until={appealableUntil} reader={reader} />
          ))}
      </section>
    </Card>
  );
}

function FiledAppeal(props: { readonly appeal: NonNullable<StatementView['appeal']> }) {
  const { text, filedAt, outcome, facts, decidedAt } = props.appeal;
  const t = useText();
  const locale = useLocale();
  const formatted = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <>
      <p>
        <Badge tone={outcome === 'overturned' ? 'success' : outcome === 'upheld' ? 'danger' : 'accent'}>
          {t(`decisions.appeal.${outcome ?? 'waiting'}`)}
        </Badge>
      </p>
      <dl className={styles['reasons']}>
        <dt>{t('decisions.appealWords')}</dt>
        <dd className={styles['words']} dir="auto">
          {text}
        </dd>
        <dt>{t('decisions.appealedAt')}</dt>
        <dd>
          <time dateTime={filedAt}>{formatted(filedAt)}</time>
        </dd>
        {facts !== null && (
          <>
            <dt>{t('decisions.appealFacts')}</dt>
            <dd className={styles['words']} dir="auto">
              {facts}
            </dd>
          </>
        )}
        {decidedAt !== null && (
          <>
            <dt>{t('decisions.appealDecidedAt')}</dt>
            <dd>
              <time dateTime={decidedAt}>{formatted(decidedAt)}</time>
            </dd>
          </>
        )}
      </dl>
      {outcome === null && <p>{t('decisions.appealWaits')}</p>}
    </>
  );
}

function AppealForm(props: { readonly id: string; readonly until: string; readonly reader: StatementReader }) {
  const { id, until, reader } = props;
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  return (
    <OwnerTextForm
      fields={appealFields}
      draftName={`appeal.${id}`}
      explanation={t('decisions.appealText', {
        date: new Date(until).toLocaleDateString(locale, { dateStyle: 'long' }),
      })}
      label={t('decisions.appealLabel')}
      button={t('decisions.appealSend')}
      sent={t('decisions.appealed')}
      failed={t('decisions.appealFailed')}
      send={(text, key) => fileAppeal(api, reader, id, text, key)}
      changes={[getStatementsKey(reader), ...('viewer' in reader ? [adKeys.mine(reader.viewer)] : [])]}
    />
  );
}

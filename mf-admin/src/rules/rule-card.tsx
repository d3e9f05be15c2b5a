import type { HidingRuleView } from '@alpenglow/domain/contracts';
import { Badge, Button, TimeAgo, useApi } from '@alpenglow/ui';
import { useConfirmedAction } from '../panel/use-confirmed-action.tsx';
import { ruleRequests, RULES_KEY } from './api.ts';
import { useText } from '../text.ts';
import styles from './rules-page.module.css';

type RuleAction = 'switchOn' | 'switchOff' | 'discard';

export interface RuleCardProps {
  readonly rule: HidingRuleView;
  readonly onEdit: () => void;
  readonly onTry: () => void;
}

/** Shows a hiding rule with its conditions and actions. An action that changes the rule needs a confirmation. */
export function RuleCard({ rule, onEdit, onTry }: RuleCardProps) {
  const t = useText();
  const api = useApi();
  const act = useConfirmedAction({
    send: (action: RuleAction) => ruleRequests(api)[action](rule.id),
    dialog: (action) => ({
      title: t(`rules.ask.${action}`),
      text: t(`rules.askText.${action}`),
      confirmLabel: t(`rules.${action}`),
      isDangerous: action === 'discard',
    }),
    doneText: (action) => t(`rules.done.${action}`),
    failedText: () => t('rules.saveFailed'),
    affectedQueries: () => ({ queryKey: RULES_KEY }),
  });
  const isOn = rule.status === 'on';
  return (
    <li className={styles['rule']}>
      <div className={styles['ruleHead']}>
        <h2 dir="auto">{rule.title}</h2>
        <Badge tone={isOn ? 'success' : 'neutral'}>{t(`rules.status.${rule.status}`)}</Badge>
      </div>
      <Conditions rule={rule} />
      <p className={styles['facts']}>
        {`${t(`moderation.rule.${rule.rule}`)} · ${t('rules.hiddenCount', { count: rule.hidden })} · `}
        {t('rules.changed')} <TimeAgo at={rule.changedAt} />
      </p>
      <div className={styles['actions']}>
        <Button onClick={onTry}>{t('rules.try')}</Button>
        <Button
          variant={isOn ? 'secondary' : 'primary'}
          onClick={() => act.openDialog(isOn ? 'switchOff' : 'switchOn')}
        >
          {t(isOn ? 'rules.switchOff' : 'rules.switchOn')}
        </Button>
        {!isOn && <Button onClick={onEdit}>{t('rules.change')}</Button>}
        {!isOn && (
          <Button variant="quiet" onClick={() => act.openDialog('discard')}>
            {t('rules.discard')}
          </Button>
        )}
      </div>
      {act.dialog}
    </li>
  );
}

function Conditions({ rule: { category, phrases, youngerThanDays, minReports } }: { readonly rule: HidingRuleView }) {
  const t = useText();
  return (
    <ul className={styles['conditionsOf']}>
      {phrases.length > 0 && (
        <li dir="auto">
          {t('rules.hasPhrase', { phrases: phrases.map((phrase) => t('rules.quoted', { phrase })).join(', ') })}
        </li>
      )}
      {category !== null && <li>{t('rules.inCategory', { category: t(`rules.categories.${category}`) })}</li>}
      {youngerThanDays !== null && <li>{t('rules.youngerThan', { days: youngerThanDays })}</li>}
      {minReports !== null && <li>{t('rules.reportedTimes', { count: minReports })}</li>}
    </ul>
  );
}

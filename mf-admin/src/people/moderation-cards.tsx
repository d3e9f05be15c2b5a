import type { AdminUserDetailView } from '@alpenglow/domain/contracts';
import { LinkRow, LinkRows, TimeAgo } from '@alpenglow/ui';
import { casePath } from '../moderation/api.ts';
import { CaseBadges, useFormatCaseTitle, useFormatReasons } from '../moderation/case-labels.tsx';
import { CaseSection } from '../moderation/case-section.tsx';
import { DecisionList } from '../moderation/decision-list.tsx';
import { LinkedAds } from '../moderation/linked-ads.tsx';
import { Badges } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';

/** Cards with the reports and decisions about the content of a user, and with linked accounts. */
export function ModerationCards({ moderation }: Pick<AdminUserDetailView, 'moderation'>) {
  const t = useText();
  const titleOf = useFormatCaseTitle();
  const reasonsOf = useFormatReasons();
  const { cases, decisions, links } = moderation;
  return (
    <>
      <CaseSection id="reports" title={t('people.reports')}>
        {cases.length === 0 && <p>{t('people.noReports')}</p>}
        <LinkRows>
          {cases.map((card) => (
            <LinkRow
              key={card.id}
              to={casePath(card.id)}
              title={<bdi>{titleOf(card)}</bdi>}
              details={
                <>
                  {card.reasons.length > 0 && <>{reasonsOf(card.reasons)} · </>}
                  <TimeAgo at={card.lastReportAt ?? card.openedAt} />
                </>
              }
              aside={
                <Badges>
                  <CaseBadges card={card} />
                </Badges>
              }
            />
          ))}
        </LinkRows>
      </CaseSection>
      <DecisionList
        id="decisions"
        title={t('people.decisions')}
        empty={t('people.noDecisions')}
        decisions={decisions}
      />
      <LinkedAds links={links} />
    </>
  );
}

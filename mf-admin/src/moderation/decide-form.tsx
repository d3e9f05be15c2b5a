import { useState } from 'react';
import {
  CHANGE_DAYS,
  DEFAULT_CHANGE_DAYS,
  DEFAULT_RULE_BY_REASON,
  errorMessage,
  isRuleAboutPerson,
  isStockPicture,
  parsePhotoUrl,
  type CaseView,
  type DecideCaseFields,
  type Outcome,
} from '@alpenglow/domain/contracts';
import { Field, getServerTime_ms, Select, useLocale, useTextDraft } from '@alpenglow/ui';
import { OutcomeBadge } from './case-labels.tsx';
import { CaseSection } from './case-section.tsx';
import { ConfirmDecision } from './confirm-decision.tsx';
import { DecisionForm } from './decision-form.tsx';
import { Thumbnail } from '../panel/thumbnail.tsx';
import { findRuleProblem, validateDecision } from './decision-values.ts';
import { useText } from '../text.ts';
import { LinkedCases } from './linked-cases.tsx';
import { RuleField } from './rule-field.tsx';
import { useDecide, type SentDecision } from './use-decide.ts';

/** The form keeps this error after another outcome is chosen, so the page computes it from the chosen values. */
const RULE_PROBLEM = errorMessage('RULE_HIDES_CONTENT');

/** Returns true if linked cases can get the same decision. */
const allowsLinkedCases = (outcome: string | null) => outcome !== 'photo_removed' && outcome !== 'change_requested';

/**
 * The form in which a moderator enters the outcome, the violated rule and the facts of a decision. A decision against
 * the owner of the content needs a confirmation.
 */
export function DecideForm({ view }: { readonly view: CaseView }) {
  const { id, subject, outcomes, reasons, isHidden, now, hiddenPhotos = [], linkedCases } = view;
  const t = useText();
  const hintFor = (outcome: Outcome) =>
    subject.kind === 'media' && (outcome === 'kept' || outcome === 'hidden' || outcome === 'removed')
      ? t(`moderation.doFile.${outcome}`)
      : t(`moderation.doText.${outcome}`);
  const photos = now.photos.flatMap((url, index) => {
    const photoId = parsePhotoUrl(url);
    // A photo that its own case hides cannot be removed with a second decision.
    const isOffered = photoId !== null && !isStockPicture(photoId) && !hiddenPhotos.includes(url);
    return isOffered ? [{ photoId, url, number: index + 1 }] : [];
  });
  const [changeDays, setChangeDays] = useState<DecideCaseFields['changeDays']>(DEFAULT_CHANGE_DAYS);
  const [chosenPhotoId, setChosenPhotoId] = useState<string | null>(null);
  // The chosen photo may have been hidden in the meantime.
  const chosenPhoto = photos.find((photo) => photo.photoId === chosenPhotoId) ?? photos[0];
  const photoId = chosenPhoto?.photoId;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  // A case that another moderator has decided in the meantime is no longer in the list.
  const alsoCaseIds = chosen.filter((caseId) => linkedCases.some((linked) => linked.case.id === caseId));
  const draft = useTextDraft(`case.${id}.decision`, { in: 'tab' });
  const [unconfirmed, setUnconfirmed] = useState<SentDecision<DecideCaseFields> | null>(null);
  const decide = useDecide(
    id,
    // The server does not show content again that was changed after the version on the page.
    (calls, decision: DecideCaseFields) => calls.decide(id, { ...decision, revision: now.revision }),
    // Nothing changes for the poster if visible content stays visible.
    ({ outcome }) => outcome !== 'kept' || isHidden,
    draft.clear,
  );
  const possible = outcomes.filter((outcome) => outcome !== 'photo_removed' || photos.length > 0);
  return (
    <CaseSection id="decide" title={t('moderation.decide')}>
      <DecisionForm
        view={view}
        draft={draft}
        outcomes={possible.map((outcome) => ({
          outcome,
          label: t(`moderation.do.${outcome}`),
          hint: hintFor(outcome),
        }))}
        defaultRule={DEFAULT_RULE_BY_REASON[reasons[0]?.reason ?? 'other']}
        validate={(values) =>
          validateDecision(values, {
            changeDays,
            ...(values.outcome === 'photo_removed' && { photoId }),
            ...(allowsLinkedCases(values.outcome) && { alsoCaseIds }),
          })
        }
        sending={decide}
        onDecide={(sent) => {
          decide.reset();
          if (sent.decision.outcome === 'kept' && sent.decision.alsoCaseIds.length === 0) decide.mutate(sent);
          else setUnconfirmed(sent);
        }}
        renderDetails={(outcome) => (
          <>
            {outcome === 'change_requested' && <ChangeDays days={changeDays} onChange={setChangeDays} />}
            {outcome === 'photo_removed' && (
              <Field
                label={t('moderation.whichPhoto')}
                hint={hiddenPhotos.length > 0 ? t('moderation.hiddenNotOffered') : undefined}
              >
                <Select value={photoId} onChange={({ target }) => setChosenPhotoId(target.value)}>
                  {photos.map((photo) => (
                    <option key={photo.photoId} value={photo.photoId}>
                      {t('moderation.photoNumber', { number: photo.number })}
                    </option>
                  ))}
                </Select>
              </Field>
            )}
            {allowsLinkedCases(outcome) && (
              <LinkedCases linkedCases={linkedCases} chosen={alsoCaseIds} onChoose={setChosen} />
            )}
          </>
        )}
        renderRule={(registration, error, chosen) => (
          // The form says at once that the rule does not allow the outcome, and not only after the confirmation.
          <RuleField
            {...registration}
            error={findRuleProblem(chosen.outcome, chosen.rule) ?? (error === RULE_PROBLEM ? null : error)}
          />
        )}
      />
      <ConfirmDecision
        unconfirmed={unconfirmed}
        decide={decide}
        confirmLabel={t('moderation.decide')}
        onCancel={() => setUnconfirmed(null)}
      >
        {({ outcome, rule, alsoCaseIds }) => (
          <>
            <p>
              <OutcomeBadge outcome={outcome} /> {hintFor(outcome)}
            </p>
            {outcome === 'photo_removed' && chosenPhoto && (
              <p>
                <Thumbnail url={chosenPhoto.url} isBlurred={view.priority === 'high'} />{' '}
                {t('moderation.photoNumber', { number: chosenPhoto.number })}
              </p>
            )}
            {isRuleAboutPerson(rule) && outcome !== 'kept' && <p>{t('moderation.ruleHidesAll')}</p>}
            {alsoCaseIds.length > 0 && <p>{t('moderation.alsoCases', { count: alsoCaseIds.length })}</p>}
            <p>{t('moderation.confirmText')}</p>
          </>
        )}
      </ConfirmDecision>
    </CaseSection>
  );
}

interface ChangeDaysProps {
  readonly days: DecideCaseFields['changeDays'];
  readonly onChange: (days: DecideCaseFields['changeDays']) => void;
}

/** A select field for the date until which the owner has to change the ad. */
function ChangeDays({ days, onChange }: ChangeDaysProps) {
  const t = useText();
  const locale = useLocale();
  const [openedAt_ms] = useState(getServerTime_ms);
  return (
    <Field label={t('moderation.changeDays')} hint={t('moderation.changeDaysHint')}>
      <Select
        value={days}
        onChange={({ target }) => onChange(CHANGE_DAYS.find((one) => String(one) === target.value) ?? days)}
      >
        {CHANGE_DAYS.map((count) => (
          <option key={count} value={count}>
            {t('moderation.changeIn', {
              count,
              date: new Date(openedAt_ms + count * DAY_ms).toLocaleDateString(locale, { dateStyle: 'medium' }),
            })}
          </option>
        ))}
      </Select>
    </Field>
  );
}

const DAY_ms = 24 * 60 * 60_000;

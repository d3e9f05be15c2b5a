import { useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useForm, useWatch, type Control, type FieldErrors, type UseFormRegister } from 'react-hook-form';
import {
  CATEGORIES,
  DESCRIPTION_MAX,
  NAME_MAX,
  SOCIAL_NETWORKS,
  STATES,
  stateOf,
  TITLE_MAX,
  type NewAdFields,
} from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, isApiError, messageOf, Select, serverText, TextArea, TextInput } from '@alpenglow/ui';
import { isUnderWay } from '../media/media-item.ts';
import { MediaSection } from '../media/media-section.tsx';
import { urlsOf, type MediaQueue, type MediaState, type MediaUrls } from '../media/media-queue.ts';
import { useText } from '../text.ts';
import type { DraftContent } from './draft.ts';
import { fieldText, lacksRequired, resolveForm, type FormValues } from './form-values.ts';
import { Section } from './section.tsx';
import { useLeaveWarning } from './use-leave-warning.ts';
import styles from './ad-form.module.css';

export interface AdFormProps {
  readonly mode: 'post' | 'edit';
  readonly initial: FormValues;
  readonly queue: MediaQueue;
  /** Sends the ad, with what of its media could be sent. What it throws is shown. */
  readonly onSubmit: (fields: NewAdFields, media: MediaUrls) => Promise<void>;
  /** Every change; returns whether it is kept somewhere. What is not kept, the browser asks about before the page is left. */
  readonly onChange: (content: DraftContent) => boolean;
  /** What is said when an error has no words of its own. */
  readonly failed: string;
  /** Ways on, beside what went wrong. */
  readonly waysOn?: ReactNode;
}

/** The fields of an ad, for posting and for editing (specification, section 2, "Post Ad screen"). */
export function AdForm({ mode, initial, queue, onSubmit, onChange, failed, waysOn }: AdFormProps) {
  const t = useText();
  const { register, control, handleSubmit, getValues, setValue, setError, formState } = useForm<
    FormValues,
    unknown,
    NewAdFields
  >({ defaultValues: initial, resolver: resolveForm });
  const { errors, isSubmitting } = formState;
  const [problem, setProblem] = useState<string | null>(null);
  const media = useSyncExternalStore(queue.subscribe, queue.state);
  const isKept = useReportedChanges(control, initial, media, onChange);
  useLeaveWarning(!isKept || media.photos.some(isUnderWay) || (media.video !== null && isUnderWay(media.video)));

  const submit = handleSubmit(
    async (fields) => {
      setProblem(null);
      await queue.finish();
      try {
        await onSubmit(fields, queue.urls());
      } catch (error) {
        // oxlint-disable-next-line no-console -- the error box sends people there (specification, section 8, "Form")
        console.error(error);
        setProblem(messageOf(error, failed));
        if (isApiError(error)) {
          const told = Object.entries(error.fields).filter(([field]) => (field.split('.')[0] ?? field) in initial);
          told.forEach(([field, message], index) =>
            setError(field as keyof FormValues, { message }, { shouldFocus: index === 0 }),
          );
        }
      }
    },
    (invalid) => {
      // oxlint-disable-next-line no-console -- as above
      console.info('The form is not complete:', invalid);
      const first = lacksRequired(getValues()) ? undefined : firstMessage(invalid);
      setProblem(first === undefined ? t('requiredFields') : serverText(first));
    },
  );
  const errorOf = (field: Parameters<typeof fieldText>[0]) => fieldText(field, errors[field]?.message);

  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void submit(event)}>
      <Section title={t('aboutYou')}>
        <Field label={t('name')} hint={t('nameHint')} error={errorOf('name')}>
          <TextInput required maxLength={NAME_MAX} autoComplete="nickname" {...register('name')} />
        </Field>
        <Field label={t('title')} hint={t('titleHint')} error={errorOf('title')}>
          <TextInput required maxLength={TITLE_MAX} autoComplete="off" {...register('title')} />
        </Field>
        <Field label={t('category')} error={errorOf('category')}>
          <Select required {...register('category')}>
            <option value="">{t('chooseCategory')}</option>
            {CATEGORIES.map((category) => (
              <option key={category} value={category}>
                {t(`categories.${category}`)}
              </option>
            ))}
          </Select>
        </Field>
      </Section>

      <Section title={t('where')}>
        <PlaceFields
          control={control}
          register={register}
          stateError={errorOf('state')}
          cityError={errorOf('city')}
          onStateChange={() => setValue('city', '')}
        />
      </Section>

      <MediaSection queue={queue} />

      <Section title={t('inYourWords')}>
        <DescriptionField control={control} register={register} error={errorOf('description')} />
      </Section>

      <Section title={t('reach')} lead={t('reachText')}>
        <Field label={t('phone')} optional error={errorOf('phone')}>
          <TextInput type="tel" autoComplete="tel" maxLength={24} {...register('phone')} />
        </Field>
        <SocialFields register={register} errors={errors} />
      </Section>

      <div className={styles['submit']}>
        {problem !== null && (
          <ErrorBox message={problem} actions={waysOn}>
            {t('consoleHint')}
          </ErrorBox>
        )}
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {mode === 'post' ? t(isSubmitting ? 'posting' : 'post') : t(isSubmitting ? 'updating' : 'update')}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  readonly control: Control<FormValues, unknown, NewAdFields>;
  readonly register: UseFormRegister<FormValues>;
}

interface PlaceProps extends PartProps {
  readonly stateError: string | undefined;
  readonly cityError: string | undefined;
  readonly onStateChange: () => void;
}

/** The cities are those of the state; before one is chosen there are none. */
function PlaceFields({ control, register, stateError, cityError, onStateChange }: PlaceProps) {
  const t = useText();
  const state = useWatch({ control, name: 'state' });
  const cities = stateOf(state)?.cities ?? [];
  return (
    <div className={styles['pair']}>
      <Field label={t('state')} error={stateError}>
        <Select required {...register('state', { onChange: onStateChange })}>
          <option value="">{t('chooseState')}</option>
          {STATES.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('city')} error={cityError}>
        {/* Not `register`'s own `disabled`: that would take the city out of the values. */}
        <Select required {...register('city')} disabled={cities.length === 0}>
          <option value="">{t(cities.length === 0 ? 'stateFirst' : 'chooseCity')}</option>
          {cities.map((city) => (
            <option key={city} value={city}>
              {city}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

function DescriptionField({ control, register, error }: PartProps & { readonly error: string | undefined }) {
  const t = useText();
  const description = useWatch({ control, name: 'description' });
  return (
    <Field
      label={t('description')}
      hint={`${t('descriptionHint')} ${t('charactersLeft', { left: DESCRIPTION_MAX - description.length })}`}
      error={error}
    >
      <TextArea required rows={8} maxLength={DESCRIPTION_MAX} {...register('description')} />
    </Field>
  );
}

function SocialFields({
  register,
  errors,
}: {
  readonly register: PartProps['register'];
  readonly errors: FieldErrors<FormValues>;
}) {
  const t = useText();
  return (
    <fieldset className={styles['social']}>
      <legend>{t('socialMedia')}</legend>
      <div className={styles['pair']}>
        {SOCIAL_NETWORKS.map((network) => (
          <Field key={network} label={t(`networks.${network}`)} optional error={errors.socialMedia?.[network]?.message}>
            <TextInput
              type={network === 'website' ? 'url' : 'text'}
              placeholder={network === 'website' ? 'https://' : '@'}
              maxLength={200}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...register(`socialMedia.${network}`)}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  );
}

/** Reports every change after the first state, before it is seen, so that what is seen is kept; returns whether the last one was. */
function useReportedChanges(
  control: PartProps['control'],
  initial: FormValues,
  media: MediaState,
  report: AdFormProps['onChange'],
): boolean {
  const values = useWatch({ control });
  const { photos, video = null } = urlsOf(media);
  const snapshot = JSON.stringify({ values, photos, video } satisfies Record<keyof DraftContent, unknown>);
  const reported = useRef(snapshot);
  const [isKept, setKept] = useState(true);
  useLayoutEffect(() => {
    if (snapshot === reported.current) return;
    reported.current = snapshot;
    const content = JSON.parse(snapshot) as DraftContent;
    setKept(report({ ...content, values: { ...initial, ...content.values } }));
  }, [snapshot, initial, report]);
  return isKept;
}

function firstMessage(errors: FieldErrors<FormValues>): string | undefined {
  for (const error of Object.values(errors)) {
    if ('message' in error && typeof error.message === 'string') return error.message;
    const nested = Object.values(error).find(
      (part): part is { message: string } => typeof part === 'object' && part !== null && 'message' in part,
    );
    if (nested) return nested.message;
  }
  return undefined;
}

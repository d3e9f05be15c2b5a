import { useEffect, useId, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useForm, useWatch, type Control, type FieldErrors, type UseFormRegister } from 'react-hook-form';
import { CATEGORIES, DESCRIPTION_MAX, MAX_PHOTOS, NAME_MAX, SOCIAL_NETWORKS, STATES, stateOf, TITLE_MAX, type NewAdFields } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, Field, fill, isApiError, listingsMessages, messageOf, postAdMessages as text, Select, TextArea, TextInput } from '@alpenglow/ui';
import { PhotoPicker } from '../photos/photo-picker.tsx';
import type { PhotoQueue } from '../photos/photo-queue.ts';
import { lacksRequired, resolveForm, type FormValues } from './form-values.ts';
import styles from './ad-form.module.css';

export interface AdFormProps {
  readonly mode: 'post' | 'edit';
  readonly initial: FormValues;
  readonly queue: PhotoQueue;
  /** Sends the ad. `photos` are the URLs of those photos that could be sent. What it throws is shown. */
  readonly onSubmit: (fields: NewAdFields, photos: readonly string[]) => Promise<void>;
  /** Every change, so that a draft can be kept. */
  readonly onChange?: (values: FormValues, photos: readonly string[]) => void;
  /** What is said when an error has no words of its own. */
  readonly failed: string;
}

/** The fields of an ad, for posting and for editing (specification, section 2, "Post Ad screen"). */
export function AdForm({ mode, initial, queue, onSubmit, onChange, failed }: AdFormProps) {
  const { register, control, handleSubmit, setValue, setError, formState } = useForm<FormValues, unknown, NewAdFields>({ defaultValues: initial, resolver: resolveForm });
  const { errors, isSubmitting } = formState;
  const [problem, setProblem] = useState<string | null>(null);
  const photos = useSyncExternalStore(queue.subscribe, queue.state).items;
  useReportedChanges(control, initial, photos.flatMap(({ url }) => url ?? []), onChange);

  const submit = handleSubmit(
    async (fields) => {
      setProblem(null);
      await queue.finish();
      try {
        await onSubmit(
          fields,
          queue.state().items.flatMap(({ url }) => url ?? []),
        );
      } catch (error) {
        // eslint-disable-next-line no-console -- the error box sends people there (specification, section 8, "Form")
        console.error(error);
        setProblem(messageOf(error, failed));
        if (isApiError(error)) {
          for (const [field, message] of Object.entries(error.fields)) if (field in initial) setError(field as keyof FormValues, { message });
        }
      }
    },
    (invalid) => {
      // eslint-disable-next-line no-console -- as above
      console.info('The form is not complete:', invalid);
      setProblem(lacksRequired(control._formValues as FormValues) ? text.requiredFields : (firstMessage(invalid) ?? text.requiredFields));
    },
  );

  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void submit(event)}>
      <Section title={text.aboutYou}>
        <Field label={text.name} hint={text.nameHint} error={errors.name?.message}>
          <TextInput required maxLength={NAME_MAX} autoComplete="nickname" {...register('name')} />
        </Field>
        <Field label={text.title} hint={text.titleHint} error={errors.title?.message}>
          <TextInput required maxLength={TITLE_MAX} autoComplete="off" {...register('title')} />
        </Field>
        <Field label={text.category} error={errors.category?.message}>
          <Select required {...register('category')}>
            <option value="">{text.chooseCategory}</option>
            {CATEGORIES.map((category) => (
              <option key={category} value={category}>
                {listingsMessages.categories[category]}
              </option>
            ))}
          </Select>
        </Field>
      </Section>

      <Section title={text.where}>
        <PlaceFields control={control} register={register} errors={errors} onStateChange={() => setValue('city', '')} />
      </Section>

      <Section title={text.photos} lead={fill(text.photosText, { max: MAX_PHOTOS })}>
        <PhotoPicker queue={queue} />
      </Section>

      <Section title={text.inYourWords}>
        <DescriptionField control={control} register={register} error={errors.description?.message} />
      </Section>

      <Section title={text.reach} lead={text.reachText}>
        <Field label={text.phone} optional error={errors.phone?.message}>
          <TextInput type="tel" autoComplete="tel" maxLength={24} {...register('phone')} />
        </Field>
        <div className={styles['pair']}>
          {SOCIAL_NETWORKS.map((network) => (
            <Field key={network} label={text.networks[network]} optional error={errors.socialMedia?.[network]?.message}>
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
      </Section>

      <div className={styles['submit']}>
        {problem !== null && <ErrorBox message={problem}>{text.consoleHint}</ErrorBox>}
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {mode === 'post' ? (isSubmitting ? text.posting : text.post) : isSubmitting ? text.updating : text.update}
        </Button>
      </div>
    </form>
  );
}

function Section({ title, lead, children }: { readonly title: string; readonly lead?: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles['section']} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p>{lead}</p>}
      {children}
    </section>
  );
}

interface PartProps {
  readonly control: Control<FormValues, unknown, NewAdFields>;
  readonly register: UseFormRegister<FormValues>;
}

/** The cities are those of the state; before one is chosen there are none. */
function PlaceFields({ control, register, errors, onStateChange }: PartProps & { readonly errors: FieldErrors<FormValues>; readonly onStateChange: () => void }) {
  const state = useWatch({ control, name: 'state' });
  const cities = stateOf(state)?.cities ?? [];
  return (
    <div className={styles['pair']}>
      <Field label={text.state} error={errors.state?.message}>
        <Select required {...register('state', { onChange: onStateChange })}>
          <option value="">{text.chooseState}</option>
          {STATES.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={text.city} error={errors.city?.message}>
        {/* Not `register`'s own `disabled`: that would take the city out of the values. */}
        <Select required {...register('city')} disabled={cities.length === 0}>
          <option value="">{cities.length === 0 ? text.stateFirst : text.chooseCity}</option>
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
  const description = useWatch({ control, name: 'description' });
  return (
    <Field label={text.description} hint={fill(text.descriptionHint, { left: DESCRIPTION_MAX - description.length })} error={error}>
      <TextArea required rows={8} maxLength={DESCRIPTION_MAX} {...register('description')} />
    </Field>
  );
}

function useReportedChanges(control: PartProps['control'], initial: FormValues, photos: readonly string[], report: AdFormProps['onChange']): void {
  const values = useWatch({ control });
  const snapshot = JSON.stringify([values, photos]);
  const [first] = useState(snapshot);
  useEffect(() => {
    if (snapshot === first) return;
    const [changed, urls] = JSON.parse(snapshot) as [FormValues, readonly string[]];
    report?.({ ...initial, ...changed }, urls);
  }, [snapshot, first, initial, report]);
}

function firstMessage(errors: FieldErrors<FormValues>): string | undefined {
  for (const error of Object.values(errors)) {
    if ('message' in error && typeof error.message === 'string') return error.message;
    const nested = Object.values(error).find((part): part is { message: string } => typeof part === 'object' && part !== null && 'message' in part);
    if (nested) return nested.message;
  }
  return undefined;
}

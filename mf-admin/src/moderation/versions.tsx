import { useState } from 'react';
import type { ContentView } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, RichHtml, useLocale } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './versions.module.css';

/** Fields that have a name in the languages of the panel; any other is shown as the server calls it. */
const NAMED = [
  'name',
  'category',
  'state',
  'city',
  'price',
  'description',
  'body',
  'phone',
  'userType',
  'summary',
] as const;
const isNamed = (name: string): name is (typeof NAMED)[number] => NAMED.some((one) => one === name);

/** Whether two versions say the same: hiding it is an event of its own, and changes nothing that is said. */
const saysTheSame = ({ revision: _a, at: _b, ...one }: ContentView, { revision: _c, at: _d, ...other }: ContentView) =>
  JSON.stringify(one) === JSON.stringify(other);

/** The version that is judged, and beside it how it stands now; once, where nothing has changed. */
export function Versions({ judged, now }: { readonly judged: ContentView; readonly now: ContentView }) {
  const t = useText();
  const isSame = saysTheSame(judged, now);
  return (
    <section className={styles['versions']} aria-labelledby="versions">
      <h2 id="versions">{t('moderation.versions')}</h2>
      <p className={styles['quiet']}>{isSame ? t('moderation.unchanged') : t('moderation.changed')}</p>
      <div className={styles['pair']}>
        <Version title={t('moderation.judged')} content={judged} other={null} />
        {!isSame && <Version title={t('moderation.now')} content={now} other={judged} />}
      </div>
    </section>
  );
}

interface VersionProps {
  readonly title: string;
  readonly content: ContentView;
  /** What differs from it is marked. */
  readonly other: ContentView | null;
}

function Version({ title, content, other }: VersionProps) {
  const t = useText();
  const locale = useLocale();
  const fields = [
    ...(content.category === null ? [] : [{ name: 'category', value: t(`categories.${content.category}`) }]),
    ...content.fields,
  ];
  const valueIn = (one: ContentView, name: string) =>
    (name === 'category'
      ? one.category && t(`categories.${one.category}`)
      : one.fields.find((field) => field.name === name)?.value) ?? null;
  const differs = (name: string, value: string | null) => other !== null && valueIn(other, name) !== value;
  return (
    <Card className={styles['version']}>
      <h3>
        {title}
        {content.at !== null && (
          <time dateTime={content.at} className={styles['quiet']}>
            {new Date(content.at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
        )}
      </h3>
      {content.isGone ? (
        <p>{t('moderation.isGone')}</p>
      ) : (
        <>
          {content.title !== null && (
            <p
              className={styles['title']}
              data-changed={(other !== null && other.title !== content.title) || undefined}
            >
              <bdi>{content.title}</bdi>
            </p>
          )}
          {content.html !== null && (
            <div data-changed={(other !== null && other.html !== content.html) || undefined}>
              <RichHtml html={content.html} />
            </div>
          )}
          {fields.length > 0 && (
            <dl className={styles['fields']}>
              {fields.map(({ name, value }) =>
                value === null && !differs(name, value) ? null : (
                  <div key={name} data-changed={differs(name, value) || undefined}>
                    <dt>
                      {isNamed(name) ? t(`moderation.field.${name}`) : name}
                      {differs(name, value) && <Badge tone="accent">{t('moderation.differs')}</Badge>}
                    </dt>
                    <dd dir="auto">{value ?? t('moderation.none')}</dd>
                  </div>
                ),
              )}
            </dl>
          )}
          {content.photos.length > 0 && (
            <Photos
              addresses={content.photos}
              isChanged={other !== null && other.photos.join() !== content.photos.join()}
            />
          )}
          {content.video !== null && <Video address={content.video} />}
        </>
      )}
    </Card>
  );
}

/** Pictures, each blurred until it is pressed: nobody has to see more than the decision needs. */
function Photos({ addresses, isChanged }: { readonly addresses: readonly string[]; readonly isChanged: boolean }) {
  const t = useText();
  const [clear, setClear] = useState<ReadonlySet<string>>(new Set());
  const toggle = (address: string) =>
    setClear((now) =>
      now.has(address) ? new Set([...now].filter((one) => one !== address)) : new Set([...now, address]),
    );
  return (
    <ul role="list" className={styles['photos']} data-changed={isChanged || undefined}>
      {addresses.map((address, index) => (
        <li key={address}>
          <button
            type="button"
            className={styles['photo']}
            aria-pressed={clear.has(address)}
            aria-label={t('moderation.showPhoto', { number: index + 1 })}
            onClick={() => toggle(address)}
          >
            <img src={address} alt="" loading="lazy" data-blurred={!clear.has(address) || undefined} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Video({ address }: { readonly address: string }) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  if (!isShown) return <Button onClick={() => setShown(true)}>{t('moderation.showVideo')}</Button>;
  return (
    <video src={address} controls preload="metadata" className={styles['video']} aria-label={t('moderation.video')} />
  );
}

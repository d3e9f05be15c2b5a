import { useState } from 'react';
import { CATEGORIES, formatPrice } from '@alpenglow/domain/contracts';
import { Badge, Button, ContactMarks, Dialog, Picture, PinIcon, PrivateMedia, useLocale } from '@alpenglow/ui';
import { getPhoto, isShown, type MediaItem } from '../media/media-item.ts';
import { useText } from '../text.ts';
import { findMissingParts } from './missing-parts.ts';
import { useFormValues, type WatchedForm } from './use-form-values.ts';
import { useVisitorTexts } from './use-visitor-texts.ts';
import styles from './preview.module.css';

interface PreviewProps extends WatchedForm {
  readonly photos: readonly MediaItem[];
  /** The age of the provider in years, or null if it is not known. */
  readonly age: number | null;
}

/** A button that shows the ad as visitors will see it, as a card of a list and as a page. */
export function Preview(props: PreviewProps) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('preview')}</Button>
      {isOpen && (
        <Dialog open title={t('preview')} onClose={() => setOpen(false)}>
          {/* No ad shows new photos yet. */}
          <PrivateMedia>
            <PreviewContent {...props} />
          </PrivateMedia>
        </Dialog>
      )}
    </>
  );
}

function PreviewContent({ photos, age, ...form }: PreviewProps) {
  const t = useText();
  const locale = useLocale();
  const values = useFormValues(form);
  const shown = photos.filter(isShown);
  const category = CATEGORIES.find((name) => name === values.category);
  const categoryName = category && t(`categories.${category}`);
  const place = [values.city, values.state].filter((part) => part !== '').join(', ');
  const preview = useVisitorTexts(values);
  const contactsInTexts = preview?.hidden ?? 0;
  const texts = { ...values, ...preview?.texts };
  const price = formatPrice(texts.price, locale);
  // The empty parts of a new ad show which field fills them.
  const letter = (values.name.trim() || t('name')).slice(0, 1);
  const name = texts.name?.trim() || t('name');
  const title = texts.title?.trim() || t('title');
  const body = texts.body?.trim() ?? '';
  return (
    <div className={styles['preview']}>
      {contactsInTexts > 0 && <p>{t('previewHidden', { count: contactsInTexts })}</p>}
      <section aria-labelledby="preview-card">
        <h3 id="preview-card">{t('previewCard')}</h3>
        <div className={styles['card']}>
          <Cover item={shown[0]} letter={letter} />
          <p className={styles['who']}>
            <ContactMarks text={name} isLinked /> {age !== null && <span>{age}</span>}
          </p>
          <p className={styles['line']}>
            <ContactMarks text={title} isLinked />
          </p>
          <p className={styles['meta']}>{[categoryName, place].filter(Boolean).join(' · ')}</p>
          {price !== null && (
            <p className={styles['price']}>
              <ContactMarks text={price} isLinked />
            </p>
          )}
        </div>
      </section>
      <section aria-labelledby="preview-page">
        <h3 id="preview-page">{t('previewPage')}</h3>
        <div className={styles['page']}>
          <div className={styles['photos']}>
            {shown.length === 0 ? (
              <Cover item={undefined} letter={letter} />
            ) : (
              shown.map((item) => <Cover key={item.key} item={item} letter={letter} />)
            )}
          </div>
          <p className={styles['who']}>
            <ContactMarks text={name} /> {age !== null && <span>{age}</span>}
            {categoryName !== undefined && <Badge tone="accent">{categoryName}</Badge>}
          </p>
          <p className={styles['title']}>
            <ContactMarks text={title} />
          </p>
          {price !== null && (
            <p className={styles['price']}>
              <ContactMarks text={price} />
            </p>
          )}
          {place !== '' && (
            <p className={styles['meta']}>
              <PinIcon /> {place}
            </p>
          )}
          {findMissingParts(values, { photos: shown.length, contactsInTexts, invalidFields: [] }).includes(
            'contact',
          ) && (
            <p>
              <strong>{t('missingPart.contact')}</strong>
            </p>
          )}
          <p className={styles['words']} dir="auto">
            <ContactMarks text={texts.description ?? ''} />
          </p>
          {body !== '' && (
            <>
              <h4>{t('physique')}</h4>
              <p className={styles['words']} dir="auto">
                <ContactMarks text={body} />
              </p>
            </>
          )}
        </div>
      </section>
    </div>
  );
}

/** A photo of the ad, or the first letter of the name if there is none. */
function Cover({ item, letter }: { readonly item: MediaItem | undefined; readonly letter: string }) {
  const t = useText();
  if (item === undefined)
    return (
      <span className={styles['none']}>
        <span aria-hidden="true">{letter.toUpperCase()}</span>
        {t('noPhotosYet')}
      </span>
    );
  if (item.preview !== null) return <img className={styles['photo']} src={item.preview} alt="" />;
  return <Picture photo={getPhoto(item)} alt="" sizes="15rem" />;
}

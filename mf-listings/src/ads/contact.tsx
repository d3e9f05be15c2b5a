import { useEffect, useRef, type MouseEvent } from 'react';
import { formatPrice, SOCIAL_NETWORK_NAMES, type AdView, type ContactDetails } from '@alpenglow/domain/contracts';
import { Button, Card, ContactMarks, ErrorBox, layout, LinkIcon, messageOf, PhoneIcon, useLocale } from '@alpenglow/ui';
import { useText } from './text.ts';
import { createContactLinks, toTelephoneUrl } from './contact-links.ts';
import { Rating } from './rating.tsx';
import { useContactDetails } from './use-contact-details.ts';
import styles from './contact.module.css';

export interface ContactProps {
  readonly ad: AdView;
  /** True if phones also show price, rating and the contact button in a fixed bar at the bottom. */
  readonly hasBar: boolean;
  /** Called with the details when they are shown. They contain the complete texts of the ad. */
  readonly onShown: (details: ContactDetails) => void;
}

/** Requests and shows the phone number and the social media links of an ad after the visitor clicks a button. */
export function Contact({ ad, hasBar, onShown }: ContactProps) {
  const t = useText();
  const section = useRef<HTMLElement>(null);
  const details = useContactDetails(ad, onShown);
  const price = formatPrice(ad.price, useLocale());
  const isShown = details.data !== undefined;
  const phone = details.data?.phone ?? null;
  const shownPhone = details.data?.phoneDisplay ?? phone ?? '';
  const hasButton = ad.hasContact && !(isShown && phone === null);
  const links = details.data ? createContactLinks(details.data.socialMedia) : [];

  useEffect(() => {
    if (!isShown && !details.isError) return;
    section.current?.scrollIntoView({ block: 'center' });
    section.current?.focus({ preventScroll: true });
  }, [isShown, details.isError]);

  const button = {
    variant: 'primary',
    busy: details.isPending,
    onClick: ({ detail }: MouseEvent) => {
      // The second click of a double click may come before the button is rendered as busy.
      if (detail < 2) details.mutate();
    },
  } as const;

  return (
    <>
      <Card>
        <section ref={section} className={styles['contact']} aria-labelledby="contact" tabIndex={-1}>
          <h2 id="contact">{t('contact')}</h2>
          {!ad.hasContact && <p>{t('noContact')}</p>}
          {ad.hasContact && <p>{t('contactText')}</p>}
          {ad.hasContact && <p data-without-scripts="">{t('contactNeedsScripts')}</p>}
          {details.isError && <ErrorBox message={messageOf(details.error, t('contactFailed'))} />}
          {ad.hasContact && !isShown && (
            <Button {...button}>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
          {isShown && (
            <ul role="list" className={styles['ways']}>
              {phone !== null && (
                <li>
                  <PhoneIcon />
                  <a href={toTelephoneUrl(phone)}>{shownPhone}</a>
                </li>
              )}
              {links.map(({ network, label, href }) => (
                <li key={network}>
                  <LinkIcon />
                  <span className={layout['muted']}>
                    {network === 'website' ? t('networkWebsite') : SOCIAL_NETWORK_NAMES[network]}
                  </span>
                  <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
      </Card>
      {hasBar && (hasButton || price !== null || ad.reviewCount > 0) && (
        <div className={styles['bar']} data-bottom-bar data-needs-scripts="">
          <p className={styles['summary']}>
            {price !== null && (
              <strong>
                <ContactMarks text={price} isLinked />
              </strong>
            )}
            <Rating ad={ad} />
          </p>
          {hasButton && phone === null && (
            <Button {...button} wide>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
          {phone !== null && (
            <a className={styles['call']} href={toTelephoneUrl(phone)}>
              <PhoneIcon />
              {t('call', { phone: shownPhone })}
            </a>
          )}
        </div>
      )}
    </>
  );
}

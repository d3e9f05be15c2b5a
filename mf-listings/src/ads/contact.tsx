import { useRef, useState } from 'react';
import { SOCIAL_NETWORK_NAMES, type AdView } from '@alpenglow/domain/contracts';
import { Button, Card, layout, LinkIcon, PhoneIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { createContactLinks, toTelephoneUrl } from './contact-links.ts';
import styles from './contact.module.css';

export interface ContactProps {
  readonly ad: Pick<AdView, 'phone' | 'socialMedia'>;
  /** True if phones show the contact button in a fixed bar at the bottom. */
  readonly hasBar: boolean;
}

/** Shows the phone number and the social media links of an ad after the visitor clicks a button. */
export function Contact({ ad, hasBar }: ContactProps) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  const section = useRef<HTMLElement>(null);
  const links = createContactLinks(ad.socialMedia);
  const hasContact = ad.phone !== null || links.length > 0;

  const show = () => {
    setShown(true);
    section.current?.scrollIntoView({ block: 'center' });
    section.current?.focus({ preventScroll: true });
  };

  return (
    <>
      <Card>
        <section ref={section} className={styles['contact']} aria-labelledby="contact" tabIndex={-1}>
          <h2 id="contact">{t('contact')}</h2>
          {!hasContact && <p>{t('noContact')}</p>}
          {hasContact && <p>{t('contactText')}</p>}
          {hasContact && !isShown && (
            <Button variant="primary" className={hasBar ? styles['inBar'] : undefined} onClick={show}>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
          {hasContact && isShown && (
            <ul role="list" className={styles['ways']}>
              {ad.phone !== null && (
                <li>
                  <PhoneIcon />
                  <a href={toTelephoneUrl(ad.phone)}>{ad.phone}</a>
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
      {hasContact && hasBar && (
        <div className={styles['bar']} data-bottom-bar>
          {isShown && ad.phone !== null ? (
            <a className={styles['call']} href={toTelephoneUrl(ad.phone)}>
              <PhoneIcon />
              {t('call', { phone: ad.phone })}
            </a>
          ) : (
            <Button variant="primary" wide onClick={show}>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

import { LOCALE_COOKIE } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './stored-on-device.module.css';

/** Everything this site keeps in a browser, by the name it has there: cookies first. A new key has to appear here. */
export function StoredOnDevice() {
  const t = useText();
  const rows: readonly (readonly [names: readonly string[], purpose: string, until: string])[] = [
    [[LOCALE_COOKIE], t('privacy.device.locale'), t('privacy.device.year')],
    [['theme'], t('privacy.device.theme'), t('privacy.device.year')],
    [['vpsAuthToken', 'user'], t('privacy.device.session'), t('privacy.device.sessionUntil')],
    [['age_ok', 'guidelines_accepted', 'consent_texts'], t('privacy.device.gates'), t('privacy.device.kept')],
    [['cookie_consent'], t('privacy.device.cookies'), t('privacy.device.kept')],
    [['favorites:…', 'favorites-cards:…'], t('privacy.device.favorites'), t('privacy.device.favoritesUntil')],
    [['alpenglow.draft.…'], t('privacy.device.draft'), t('privacy.device.draftUntil')],
    [['alpenglow.position'], t('privacy.device.position'), t('privacy.device.positionUntil')],
  ];
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{t('privacy.device.name')}</th>
          <th scope="col">{t('privacy.device.what')}</th>
          <th scope="col">{t('privacy.device.until')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([names, purpose, until]) => (
          <tr key={names[0]}>
            <th scope="row">
              {names.map((name) => (
                <code key={name}>{name}</code>
              ))}
            </th>
            <td>{purpose}</td>
            <td>{until}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

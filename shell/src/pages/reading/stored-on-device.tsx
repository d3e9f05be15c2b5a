import { useText } from '../text.ts';
import { STORED_NAMES } from './stored-names.ts';
import styles from './stored-on-device.module.css';

/** A table of all entries that this site stores in a browser, with purpose and lifetime. Cookies are the first rows. */
export function StoredOnDevice() {
  const t = useText();
  const rows: readonly (readonly [names: readonly string[], purpose: string, until: string])[] = [
    [STORED_NAMES.locale, t('privacy.device.locale'), t('privacy.device.year')],
    [STORED_NAMES.theme, t('privacy.device.theme'), t('privacy.device.year')],
    [STORED_NAMES.browser, t('privacy.device.browser'), t('privacy.device.year')],
    [STORED_NAMES.builds, t('privacy.device.builds'), t('privacy.device.buildsUntil')],
    [STORED_NAMES.session, t('privacy.device.session'), t('privacy.device.sessionUntil')],
    [STORED_NAMES.gates, t('privacy.device.gates'), t('privacy.device.kept')],
    [STORED_NAMES.cookies, t('privacy.device.cookies'), t('privacy.device.kept')],
    [STORED_NAMES.liveNotices, t('privacy.device.liveNotices'), t('privacy.device.kept')],
    [STORED_NAMES.favorites, t('privacy.device.favorites'), t('privacy.device.favoritesUntil')],
    [STORED_NAMES.sentFavorites, t('privacy.device.sentFavorites'), t('privacy.device.sentFavoritesUntil')],
    [STORED_NAMES.draft, t('privacy.device.draft'), t('privacy.device.draftUntil')],
    [STORED_NAMES.place, t('privacy.device.place'), t('privacy.device.placeUntil')],
    [STORED_NAMES.moderation, t('privacy.device.moderation'), t('privacy.device.moderationUntil')],
    [STORED_NAMES.statement, t('privacy.device.statement'), t('privacy.device.statementUntil')],
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

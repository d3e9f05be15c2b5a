import { Link } from 'react-router-dom';
import { useUser } from '@alpenglow/ui';
import { useText } from '../text.ts';

interface AccountNameProps {
  readonly id: string;
  /** Display names by account id. Closed accounts are missing. */
  readonly names: Readonly<Record<string, string>>;
}

/** The display name of an account. For admins, the name is a link to the page of the account. */
export function AccountName({ id, names }: AccountNameProps) {
  const t = useText();
  const isAdmin = useUser()?.isAdmin === true;
  const name = Object.hasOwn(names, id) ? names[id] : undefined;
  if (name === undefined) return <>{t('table.formerMember')}</>;
  const text = <bdi>{name}</bdi>;
  return isAdmin ? <Link to={`/admin/users/${encodeURIComponent(id)}`}>{text}</Link> : text;
}

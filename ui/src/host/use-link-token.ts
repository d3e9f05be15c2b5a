import { useEffect, useEffectEvent } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { getTabStorage, withMemoryFallback } from './browser-storage.ts';

const TOKEN = /^[\w-]{43}$/u;
const storage = withMemoryFallback(getTabStorage());

/**
 * Returns the secret token of a link such as `/removal/{id}#{token}`, which replaces a login. The token is in the
 * fragment, because browsers do not send the fragment to servers. It is removed from the URL, so that it is neither
 * visible nor in the browser history, and stored in this tab under `key`, so that a reload works. Returns null without
 * a valid token.
 * @param key a name of `TAB_KEYS`, followed by the id of what the token opens
 */
export function useLinkToken(key: string): string | null {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const tokenInUrl = hash.slice(1);
  const storeToken = useEffectEvent(() => {
    if (tokenInUrl === '') return;
    if (TOKEN.test(tokenInUrl)) storage.setItem(key, tokenInUrl);
    void navigate(pathname, { replace: true });
  });
  useEffect(() => storeToken(), [tokenInUrl]);
  return TOKEN.test(tokenInUrl) ? tokenInUrl : storage.getItem(key);
}

import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf, useApi, useHost } from '@alpenglow/ui';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { isOfUser, PEOPLE_KEY, peopleCalls } from './calls.ts';
import { useText } from './text.ts';

export type UserDeed = 'verify' | 'close' | 'clearCode';
type Person = { readonly id: string; readonly displayName: string };

/** What may be done to a user: `ask` opens its dialog, which is `dialog`. Once it is done, everything known of people is read anew. */
export function useUserDeed(onClosed: () => void = () => undefined) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<{ readonly deed: UserDeed; readonly person: Person } | null>(null);
  const doing = useMutation<
    unknown,
    Error,
    { readonly deed: UserDeed; readonly person: Person; readonly reason: string }
  >({
    mutationFn: ({ deed, person, reason }) => peopleCalls(api)[deed](person.id, reason),
    onSuccess: (_answer, { deed, person }) => {
      notify({ text: t(`people.${deed}Done`, { name: person.displayName }), tone: 'success' });
      if (deed === 'close') onClosed();
    },
    onError: (error, { deed }) => notify({ text: messageOf(error, t(`people.${deed}Failed`)), tone: 'danger' }),
    onSettled: (_answer, error, { deed, person }) => {
      setAsked(null);
      // The page of an account that was just closed is being left, and is not asked for again.
      const isLeft = (key: readonly unknown[]) => deed === 'close' && error === null && isOfUser(key, person.id);
      return queryClient.invalidateQueries({ queryKey: PEOPLE_KEY, predicate: ({ queryKey }) => !isLeft(queryKey) });
    },
  });
  const dialog = asked && (
    <ReasonDialog
      title={t(`people.${asked.deed}Title`, { name: asked.person.displayName })}
      confirmLabel={t(`people.${asked.deed}Now`)}
      isDangerous={asked.deed === 'close'}
      isBusy={doing.isPending}
      onClose={() => setAsked(null)}
      onConfirm={(reason) => doing.mutate({ ...asked, reason })}
    >
      <p>{t(`people.${asked.deed}Text`)}</p>
    </ReasonDialog>
  );
  return { ask: (deed: UserDeed, person: Person) => setAsked({ deed, person }), dialog };
}

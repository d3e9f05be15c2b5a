import { useApi } from '@alpenglow/ui';
import { useRuleChoice } from '../moderation/rule-field.tsx';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { isUserPageKey, USERS_KEY, userRequests } from './api.ts';

export type UserAction = 'verify' | 'close' | 'clearCode';
type Person = { readonly id: string; readonly displayName: string };

/**
 * Sends an action of an admin on a user after the admin has entered a reason, and chosen a house rule if the action
 * closes the account. `openDialog` opens the dialog for both.
 */
export function useUserAction(onClosed: () => void = () => undefined) {
  const t = useText();
  const api = useApi();
  const { sent, field, check, reset } = useRuleChoice();
  const action = useReasonAction<{ readonly userAction: UserAction; readonly person: Person }>({
    send: ({ userAction, person }, reason): Promise<unknown> =>
      userAction === 'close'
        ? userRequests(api).close(person.id, { reason, rule: sent })
        : userRequests(api)[userAction](person.id, reason),
    dialog: ({ userAction, person }) => ({
      draftName: `${userAction}.${person.id}`,
      title: t(`people.${userAction}Title`, { name: person.displayName }),
      text: t(`people.${userAction}Text`),
      confirmLabel: t(`people.${userAction}Now`),
      isDangerous: userAction === 'close',
      ...(userAction === 'close' && { details: field, checkDetails: check }),
    }),
    doneText: ({ userAction, person }) => t(`people.${userAction}Done`, { name: person.displayName }),
    failedText: ({ userAction }) => t(`people.${userAction}Failed`),
    affectedQueries: ({ userAction, person }, error) => ({
      queryKey: USERS_KEY,
      // After an account was closed, the admin leaves its page. The data of this page must therefore not be fetched
      // again.
      predicate: ({ queryKey }) => !(userAction === 'close' && error === null && isUserPageKey(queryKey, person.id)),
    }),
    onDone: ({ userAction }) => {
      if (userAction === 'close') onClosed();
    },
  });
  return {
    openDialog: (userAction: UserAction, person: Person) => {
      reset();
      action.openDialog({ userAction, person });
    },
    dialog: action.dialog,
  };
}

import { useQueryClient, type InvalidateQueryFilters } from '@tanstack/react-query';
import { useHost } from '../host/host-context.tsx';
import { useSend } from './use-send.ts';
import { getErrorMessage } from './api-error.ts';

export interface WriteOptions<Input, Result> {
  readonly send: (input: Input) => Promise<Result>;
  /** Returns the message to show after a successful write. If this function is omitted, no message is shown. */
  readonly doneText?: ((input: Input, result: Result) => string) | undefined;
  /** Returns the message to show after a failed write. If this function is omitted, the caller shows the error. */
  readonly failedText?: ((input: Input) => string) | undefined;
  /**
   * Returns the queries to fetch again after the write. They are also fetched after a failed write, because the
   * displayed data may be out of date.
   */
  readonly affectedQueries: (input: Input, error: unknown) => InvalidateQueryFilters;
  /** Called when the write has succeeded, before the affected queries are fetched again. */
  readonly onDone?: ((input: Input) => void) | undefined;
}

/** Sends a write to the API. Shows the result in a toast, and fetches the affected queries again. */
export function useWrite<Input = void, Result = unknown>(options: WriteOptions<Input, Result>) {
  const { send, doneText, failedText, affectedQueries, onDone } = options;
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useSend({
    mutationFn: send,
    onSuccess: (result, input) => {
      if (doneText) notify({ text: doneText(input, result), tone: 'success' });
      onDone?.(input);
    },
    onError: (error, input) => {
      if (failedText) notify({ text: getErrorMessage(error, failedText(input)), tone: 'danger' });
    },
    onSettled: (_result, error, input) => queryClient.invalidateQueries(affectedQueries(input, error)),
  });
}

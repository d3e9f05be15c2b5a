import { useRef, type FormEvent } from 'react';
import { useMutation, type MutateOptions, type UseMutationOptions } from '@tanstack/react-query';

/**
 * Like `useMutation`, but `mutate` has no effect while the same write is running. The second click of a very fast
 * double click comes before React has disabled the button, so its state cannot prevent a second write.
 */
export function useSend<Data, Input = void>(options: UseMutationOptions<Data, Error, Input>) {
  const running = useRef(new Set<string>());
  const mutation = useMutation(options);
  const mutate = (input: Input, callbacks: MutateOptions<Data, Error, Input> = {}): void => {
    const key = JSON.stringify([input]);
    if (running.current.has(key)) return;
    running.current.add(key);
    const end = () => void running.current.delete(key);
    mutation.mutateAsync(input, callbacks).then(end, end);
  };
  return { ...mutation, mutate };
}

/**
 * Returns a handler of a form that sends it with `send`, unless the form is being sent. It also handles a very fast
 * double click.
 */
export function useSubmit(
  send: (event: FormEvent<HTMLFormElement>) => Promise<unknown>,
): (event: FormEvent<HTMLFormElement>) => void {
  const isRunning = useRef(false);
  return (event) => {
    event.preventDefault();
    if (isRunning.current) return;
    isRunning.current = true;
    const end = () => void (isRunning.current = false);
    send(event).then(end, end);
  };
}

import { useState, type ReactNode } from 'react';
import { MessageDialog } from '@alpenglow/ui';

interface OpenMessage {
  readonly text: string;
  readonly canCancel: boolean;
  readonly close: (isOk: boolean) => void;
}

/**
 * Returns two functions that show a message and wait until the visitor closes it, and the `dialog` that the component
 * must render. `confirm` returns true after OK and false after Cancel.
 */
export function useMessageDialog() {
  const [message, setMessage] = useState<OpenMessage | null>(null);

  const show = (text: string, canCancel: boolean) =>
    new Promise<boolean>((resolve) => {
      setMessage({
        text,
        canCancel,
        close(isOk) {
          setMessage(null);
          resolve(isOk);
        },
      });
    });
  const dialog: ReactNode = message && (
    <MessageDialog
      text={message.text}
      onOk={() => message.close(true)}
      onCancel={message.canCancel ? () => message.close(false) : undefined}
    />
  );
  return {
    inform: async (text: string): Promise<void> => void (await show(text, false)),
    confirm: (text: string): Promise<boolean> => show(text, true),
    dialog,
  };
}

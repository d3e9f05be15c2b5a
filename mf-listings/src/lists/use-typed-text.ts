import { useEffect, useEffectEvent, useState } from 'react';

const TYPING_PAUSE_ms = 250;

/**
 * The text of a field. `reported` contains the texts that were passed to `onTyped` but have not yet become the value of
 * the field.
 */
export interface TypedText {
  readonly text: string;
  readonly reported: readonly string[];
}

/**
 * Returns the state of a text field after its value has changed. If the new value was typed in this field, the text
 * stays unchanged, because the visitor may have typed more in the meantime. Any other value replaces the text, e.g.
 * after the Back button.
 */
export function applyValue({ text, reported }: TypedText, value: string): TypedText {
  const index = reported.lastIndexOf(value);
  if (index >= 0) return { text, reported: reported.slice(index + 1) };
  return { text: text.trim() === value ? text : value, reported: [] };
}

/**
 * Stores the text that the visitor types, and calls `onTyped` when the visitor pauses. If `value` changes for another
 * reason, it replaces the text.
 */
export function useTypedText(value: string, onTyped: (text: string) => void) {
  const [field, setField] = useState<TypedText>({ text: value, reported: [] });
  const [followed, setFollowed] = useState(value);
  if (followed !== value) {
    setFollowed(value);
    setField(applyValue(field, value));
  }
  /** Calls `onTyped` immediately, for example when the visitor presses Enter. */
  const finish = () => {
    const text = field.text.trim();
    if (text === (field.reported.at(-1) ?? value)) return;
    setField({ ...field, reported: [...field.reported, text] });
    onTyped(text);
  };
  const onPause = useEffectEvent(finish);
  useEffect(() => {
    const timer = setTimeout(() => onPause(), TYPING_PAUSE_ms);
    return () => clearTimeout(timer);
  }, [field.text]);
  return { text: field.text, type: (text: string) => setField((current) => ({ ...current, text })), finish };
}

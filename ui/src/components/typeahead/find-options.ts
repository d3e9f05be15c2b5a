import { splitWords } from '@alpenglow/domain/contracts';

/**
 * Returns the options that match a typed text, in their order. An option matches if each typed word begins a word of
 * its `searchText`. Options whose `name` begins with the text come first. An empty text matches every option.
 */
export function findOptions<Option>(
  options: readonly Option[],
  text: string,
  { name, searchText }: { readonly name: (option: Option) => string; readonly searchText: (option: Option) => string },
): readonly Option[] {
  const typed = splitWords(text);
  if (typed.length === 0) return options;
  const matches = options.filter((option) => {
    const words = splitWords(searchText(option));
    return typed.every((beginning) => words.some((word) => word.startsWith(beginning)));
  });
  const start = typed.join(' ');
  const beginsWithText = (option: Option) => splitWords(name(option)).join(' ').startsWith(start);
  return matches.sort((one, other) => Number(beginsWithText(other)) - Number(beginsWithText(one)));
}

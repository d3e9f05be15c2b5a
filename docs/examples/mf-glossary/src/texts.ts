/** The texts and words of each language. */
export const TEXTS = {
  en: {
    title: 'Glossary',
    search: 'Search a word',
    none: 'No word begins so',
    words: { bump: 'Moves an ad to the top of the lists', thread: 'A topic of the community with its replies' },
  },
  de: {
    title: 'Glossar',
    search: 'Wort suchen',
    none: 'Kein Wort beginnt so',
    words: { bump: 'Setzt eine Anzeige an die Spitze der Listen', thread: 'Ein Thema mit seinen Antworten' },
  },
  fr: {
    title: 'Glossaire',
    search: 'Chercher un mot',
    none: 'Aucun mot ne commence ainsi',
    words: { bump: 'Place une annonce en tête des listes', thread: 'Un sujet avec ses réponses' },
  },
  it: {
    title: 'Glossario',
    search: 'Cercare una parola',
    none: 'Nessuna parola inizia così',
    words: { bump: 'Porta un annuncio in cima alle liste', thread: 'Un tema con le sue risposte' },
  },
} as const;

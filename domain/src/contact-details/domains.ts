/** Top-level domains that are no words of a sentence. */
export const DOMAINS =
  'com|net|org|info|biz|example|xyz|site|online|website|club|shop|store|blog|page|link|bio|xxx|app|dev|io|co|ee|gg|' +
  'ly|tv|ch|de|fr|uk|eu|ca|ru|nl|es|at|cam|fans|escort|sexy|ai|li|pl|cz|dk|br|mx|au|nz|hu|gr|ua|nyc|tel|' +
  'porn|mobi|swiss';
/** Domains that are also words. Before the next word of a sentence, as in `coffee.shop around`, they are none. */
export const SENTENCE_DOMAIN =
  /\.(?:at|de|es|ca|li|site|online|website|club|shop|store|blog|page|link|fans|escort|sexy|cam|porn|app)$/iu;
/**
 * Top-level domains that are also words. They count with a path, such as `t.me/robin`, or after the name of a host that
 * is no word of a sentence, such as `robinlv.me`.
 */
export const WORD_DOMAINS =
  'me|us|it|is|in|be|my|so|se|no|pt|la|cc|fun|live|life|love|vip|social|vegas|pro|one|massage|dating|today|world|' +
  'studio|beauty|spa|top|space|lol|name|pics|red|pink|lat|' +
  'date|zone|agency|rocks|wtf|uno|party|plus|guru|team|cool|to';
/** The words for a full stop in an address that is read out. */
export const DOT_WORDS = 'd[o0]t|punkt|point|punto|ponto';

import snowball from 'snowball-stemmers';
import * as stopword from 'stopword';

/** The stop words of Lucene's analyzer for English. The lists of `stopword` are longer. */
const english =
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they
  this to was will with`.split(/\s+/);

interface Language {
  readonly stopWords: readonly string[];
  /** The name of the algorithm that finds the stem of a word. */
  readonly stemmer?: string;
}

/** The languages of the analyzers `lucene.<language>`. */
const languages: Readonly<Record<string, Language>> = {
  arabic: { stopWords: stopword.ara, stemmer: 'arabic' },
  armenian: { stopWords: stopword.hye, stemmer: 'armenian' },
  basque: { stopWords: stopword.eus, stemmer: 'basque' },
  bengali: { stopWords: stopword.ben },
  brazilian: { stopWords: stopword.porBr, stemmer: 'portuguese' },
  bulgarian: { stopWords: stopword.bul },
  catalan: { stopWords: stopword.cat, stemmer: 'catalan' },
  chinese: { stopWords: [] },
  cjk: { stopWords: english },
  czech: { stopWords: stopword.ces, stemmer: 'czech' },
  danish: { stopWords: stopword.dan, stemmer: 'danish' },
  dutch: { stopWords: stopword.nld, stemmer: 'dutch' },
  english: { stopWords: english, stemmer: 'porter' },
  finnish: { stopWords: stopword.fin, stemmer: 'finnish' },
  french: { stopWords: stopword.fra, stemmer: 'french' },
  galician: { stopWords: stopword.glg },
  german: { stopWords: stopword.deu, stemmer: 'german' },
  greek: { stopWords: stopword.ell },
  hindi: { stopWords: stopword.hin },
  hungarian: { stopWords: stopword.hun, stemmer: 'hungarian' },
  indonesian: { stopWords: stopword.ind },
  irish: { stopWords: stopword.gle, stemmer: 'irish' },
  italian: { stopWords: stopword.ita, stemmer: 'italian' },
  japanese: { stopWords: stopword.jpn },
  korean: { stopWords: stopword.kor },
  kuromoji: { stopWords: stopword.jpn },
  latvian: { stopWords: stopword.lav },
  lithuanian: { stopWords: stopword.lit },
  morfologik: { stopWords: stopword.pol },
  nori: { stopWords: stopword.kor },
  norwegian: { stopWords: stopword.nob, stemmer: 'norwegian' },
  persian: { stopWords: stopword.fas },
  polish: { stopWords: stopword.pol },
  portuguese: { stopWords: stopword.por, stemmer: 'portuguese' },
  romanian: { stopWords: stopword.ron, stemmer: 'romanian' },
  russian: { stopWords: stopword.rus, stemmer: 'russian' },
  smartcn: { stopWords: stopword.zho },
  sorani: { stopWords: stopword.kur },
  spanish: { stopWords: stopword.spa, stemmer: 'spanish' },
  swedish: { stopWords: stopword.swe, stemmer: 'swedish' },
  thai: { stopWords: stopword.tha },
  turkish: { stopWords: stopword.tur, stemmer: 'turkish' },
  ukrainian: { stopWords: stopword.ukr },
};

export const languageNames: readonly string[] = Object.keys(languages);

export const stopWordsOf = (language: string): readonly string[] => languages[language]!.stopWords;

export const stemmerNames: readonly string[] = snowball.algorithms();

/** Returns the function that finds stems, or undefined if there is none for the algorithm. */
export const stemmerNamed = (algorithm: string): ((word: string) => string) => {
  const stemmer = snowball.newStemmer(algorithm);
  return word => stemmer.stem(word);
};

/** Returns the function that finds the stems of a language, or undefined if its words are not stemmed. */
export const stemmerOf = (language: string): ((word: string) => string) | undefined => {
  const { stemmer } = languages[language]!;
  return stemmer === undefined ? undefined : stemmerNamed(stemmer);
};

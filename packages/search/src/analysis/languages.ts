import { stemmer as arabicStem } from '@orama/stemmers/arabic';
import { stemmer as armenianStem } from '@orama/stemmers/armenian';
import { stemmer as bulgarianStem } from '@orama/stemmers/bulgarian';
import { stemmer as danishStem } from '@orama/stemmers/danish';
import { stemmer as dutchStem } from '@orama/stemmers/dutch';
import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as finnishStem } from '@orama/stemmers/finnish';
import { stemmer as frenchStem } from '@orama/stemmers/french';
import { stemmer as germanStem } from '@orama/stemmers/german';
import { stemmer as greekStem } from '@orama/stemmers/greek';
import { stemmer as hungarianStem } from '@orama/stemmers/hungarian';
import { stemmer as indianStem } from '@orama/stemmers/indian';
import { stemmer as indonesianStem } from '@orama/stemmers/indonesian';
import { stemmer as irishStem } from '@orama/stemmers/irish';
import { stemmer as italianStem } from '@orama/stemmers/italian';
import { stemmer as lithuanianStem } from '@orama/stemmers/lithuanian';
import { stemmer as norwegianStem } from '@orama/stemmers/norwegian';
import { stemmer as portugueseStem } from '@orama/stemmers/portuguese';
import { stemmer as romanianStem } from '@orama/stemmers/romanian';
import { stemmer as russianStem } from '@orama/stemmers/russian';
import { stemmer as spanishStem } from '@orama/stemmers/spanish';
import { stemmer as swedishStem } from '@orama/stemmers/swedish';
import { stemmer as turkishStem } from '@orama/stemmers/turkish';
import { stemmer as ukrainianStem } from '@orama/stemmers/ukrainian';
import { stopwords as arabicWords } from '@orama/stopwords/arabic';
import { stopwords as armenianWords } from '@orama/stopwords/armenian';
import { stopwords as bulgarianWords } from '@orama/stopwords/bulgarian';
import { stopwords as danishWords } from '@orama/stopwords/danish';
import { stopwords as dutchWords } from '@orama/stopwords/dutch';
import { stopwords as finnishWords } from '@orama/stopwords/finnish';
import { stopwords as frenchWords } from '@orama/stopwords/french';
import { stopwords as germanWords } from '@orama/stopwords/german';
import { stopwords as greekWords } from '@orama/stopwords/greek';
import { stopwords as hungarianWords } from '@orama/stopwords/hungarian';
import { stopwords as indianWords } from '@orama/stopwords/indian';
import { stopwords as indonesianWords } from '@orama/stopwords/indonesian';
import { stopwords as irishWords } from '@orama/stopwords/irish';
import { stopwords as italianWords } from '@orama/stopwords/italian';
import { stopwords as japaneseWords } from '@orama/stopwords/japanese';
import { stopwords as lithuanianWords } from '@orama/stopwords/lithuanian';
import { stopwords as mandarinWords } from '@orama/stopwords/mandarin';
import { stopwords as norwegianWords } from '@orama/stopwords/norwegian';
import { stopwords as portugueseWords } from '@orama/stopwords/portuguese';
import { stopwords as romanianWords } from '@orama/stopwords/romanian';
import { stopwords as russianWords } from '@orama/stopwords/russian';
import { stopwords as spanishWords } from '@orama/stopwords/spanish';
import { stopwords as swedishWords } from '@orama/stopwords/swedish';
import { stopwords as turkishWords } from '@orama/stopwords/turkish';
import { stopwords as ukrainianWords } from '@orama/stopwords/ukrainian';

/** Returns the stem of a word. */
export type Stemmer = (word: string) => string;

interface Language {
  readonly stopWords: readonly string[];
  readonly stem?: Stemmer;
}

/** The stop words of Lucene's analyzer for English. Other lists are longer. */
const english =
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they
  this to was will with`.split(/\s+/);

const none: Language = { stopWords: [] };

/** The languages of the analyzers `lucene.<language>`. */
const languages: Readonly<Record<string, Language>> = {
  arabic: { stopWords: arabicWords, stem: arabicStem },
  armenian: { stopWords: armenianWords, stem: armenianStem },
  basque: none,
  bengali: none,
  brazilian: { stopWords: portugueseWords, stem: portugueseStem },
  bulgarian: { stopWords: bulgarianWords, stem: bulgarianStem },
  catalan: none,
  chinese: { stopWords: mandarinWords },
  cjk: { stopWords: english },
  czech: none,
  danish: { stopWords: danishWords, stem: danishStem },
  dutch: { stopWords: dutchWords, stem: dutchStem },
  english: { stopWords: english, stem: englishStem },
  finnish: { stopWords: finnishWords, stem: finnishStem },
  french: { stopWords: frenchWords, stem: frenchStem },
  galician: none,
  german: { stopWords: germanWords, stem: germanStem },
  greek: { stopWords: greekWords, stem: greekStem },
  hindi: { stopWords: indianWords, stem: indianStem },
  hungarian: { stopWords: hungarianWords, stem: hungarianStem },
  indonesian: { stopWords: indonesianWords, stem: indonesianStem },
  irish: { stopWords: irishWords, stem: irishStem },
  italian: { stopWords: italianWords, stem: italianStem },
  japanese: { stopWords: japaneseWords },
  korean: none,
  kuromoji: { stopWords: japaneseWords },
  latvian: none,
  lithuanian: { stopWords: lithuanianWords, stem: lithuanianStem },
  morfologik: none,
  nori: none,
  norwegian: { stopWords: norwegianWords, stem: norwegianStem },
  persian: none,
  polish: none,
  portuguese: { stopWords: portugueseWords, stem: portugueseStem },
  romanian: { stopWords: romanianWords, stem: romanianStem },
  russian: { stopWords: russianWords, stem: russianStem },
  smartcn: { stopWords: mandarinWords },
  sorani: none,
  spanish: { stopWords: spanishWords, stem: spanishStem },
  swedish: { stopWords: swedishWords, stem: swedishStem },
  thai: none,
  turkish: { stopWords: turkishWords, stem: turkishStem },
  ukrainian: { stopWords: ukrainianWords, stem: ukrainianStem },
};

export const languageNames: readonly string[] = Object.keys(languages);

export const stopWordsOf = (language: string): readonly string[] => languages[language]!.stopWords;

/** Returns the stemmer of a language, or undefined if its words are not stemmed. */
export const stemmerOf = (language: string): Stemmer | undefined => languages[language]!.stem;

/** The stemmers by their names in custom analyzers. */
export const stemmers: ReadonlyMap<string, Stemmer> = new Map([
  ...Object.entries(languages).flatMap(([name, { stem }]): [string, Stemmer][] =>
    stem === undefined ? [] : [[name, stem]],
  ),
  ['porter', englishStem],
]);

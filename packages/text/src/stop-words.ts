import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as swedish } from '@orama/stopwords/swedish';

const english = `
  a about above after again against all am an and any are aren't as at be because been before being below between
  both but by can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
  further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his
  how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor
  not of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should
  shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
  they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've were
  weren't what what's when when's where where's which while who who's whom why why's with won't would wouldn't you
  you'd you'll you're you've your yours yourself yourselves`;

const french = `
  a ai aie aient aies ait alors as au aucun aura aurai auraient aurais aurait auras aurez auriez aurions aurons
  auront aussi autre aux avaient avais avait avant avec avez aviez avions avoir avons ayant ayez ayons bon c car ce
  ceci cela ces cet cette ceux chaque ci comme comment d dans de dedans dehors depuis des deux devoir devrait devrez
  devriez devrions devrons devront dois doit donc dos droite du dès début dù elle elles en encore es est et eu eue
  eues eurent eus eusse eussent eusses eussiez eussions eut eux eûmes eût eûtes faire fais faisez fait faites fois
  font force furent fus fusse fussent fusses fussiez fussions fut fûmes fût fûtes haut hors ici il ils j je juste l
  la le les leur leurs lui là m ma maintenant mais me mes moi moins mon mot même n ne ni nom nommé nommée nommés nos
  notre nous nouveau nouveaux on ont ou où par parce parole pas personne personnes peu peut plupart pour pourquoi qu
  quand que quel quelle quelles quels qui s sa sans se sera serai seraient serais serait seras serez seriez serions
  serons seront ses seulement si sien soi soient sois soit sommes son sont sous soyez soyons suis sujet sur t ta
  tandis te tellement tels tes toi ton tous tout trop très tu un une valeur voient vois voit vont vos votre vous vu
  y à ça étaient étais était étant état étiez étions été étés êtes être`;

const german = `
  aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern anders
  auch auf aus bei bin bis bist da damit dann das dass dasselbe dazu daß dein deine deinem deinen deiner deines dem
  demselben den denn denselben der derer derselbe derselben des desselben dessen dich die dies diese dieselbe
  dieselben diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einig einige einigem
  einigen einiger einiges einmal er es etwas euch euer eure eurem euren eurer eures für gegen gewesen hab habe haben
  hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem
  jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte
  machen man manche manchem manchen mancher manches mein meine meinem meinen meiner meines mich mir mit muss musste
  nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines selbst sich sie sind so
  solche solchem solchen solcher solches soll sollte sondern sonst um und uns unse unsem unsen unser unses unter
  viel vom von vor war waren warst was weg weil weiter welche welchem welchen welcher welches wenn werde werden wie
  wieder will wir wird wirst wo wollen wollte während würde würden zu zum zur zwar zwischen über`;

const hungarian = `
  a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek amelyekben amelyeket amelyet amelynek ami amikor amit
  amolyan amíg annak arra arról az azok azon azonban azt aztán azután azzal azért be belül benne bár cikk cikkek
  cikkeket csak de e ebben eddig egy egyes egyetlen egyik egyre egyéb egész ehhez ekkor el ellen elsõ elég elõ
  elõször elõtt emilyen ennek erre ez ezek ezen ezt ezzel ezért fel felé hanem hiszen hogy hogyan igen ill ill.
  illetve ilyen ilyenkor ismét ison itt jobban jó jól kell kellett keressünk keresztül ki kívül között közül
  legalább legyen lehet lehetett lenne lenni lesz lett maga magát majd meg mellett mely melyek mert mi mikor milyen
  minden mindenki mindent mindig mint mintha mit mivel miért most már más másik még míg nagy nagyobb nagyon ne nekem
  neki nem nincs néha néhány nélkül olyan ott pedig persze rá s saját sem semmi sok sokat sokkal szemben szerint
  szinte számára talán tehát teljes tovább továbbá több ugyanis utolsó után utána vagy vagyis vagyok valaki valami
  valamint való van vannak vele vissza viszont volna volt voltak voltam voltunk által általában át én éppen és így õ
  õk õket össze úgy új újabb újra`;

const norwegian = `
  alle andre arbeid at av bare begge ble blei bli blir blitt bort bra bruke både båe da de deg dei deim deira deires
  dem den denne der dere deres det dette di din disse ditt du dykk dykkar då eg ein eit eitt eller elles en ene
  eneste enhver enn er et ett etter folk for fordi forsøke fra få før først gjorde gjøre god gå ha hadde han hans
  har hennar henne hennes her hjå ho hoe honom hoss hossen hun hva hvem hver hvilke hvilken hvis hvor hvordan
  hvorfor i ikke ikkje ingen ingi inkje inn innen inni ja jeg kan kom korleis korso kun kunne kva kvar kvarhelst
  kven kvi kvifor lage lang lik like makt man mange me med medan meg meget mellom men mens mer mest mi min mine mitt
  mot mye mykje må måte navn ned nei no noe noen noka noko nokon nokor nokre ny nå når og også om opp oss over part
  punkt på rett riktig samme sant seg selv si sia sidan siden sin sine sist sitt sjøl skal skulle slik slutt so som
  somme somt start stille så sånn tid til tilbake tilstand um under upp ut uten var vart varte ved verdi vere verte
  vi vil ville vite vore vors vort vår være vært å`;

const spanish = `
  a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el ella ellas ellos
  en entre era erais eran eras eres es esa esas ese eso esos esta estaba estabais estaban estabas estad estada
  estadas estado estados estamos estando estar estaremos estará estarán estarás estaré estaréis estaría estaríais
  estaríamos estarían estarías estas este estemos esto estos estoy estuve estuviera estuvierais estuvieran
  estuvieras estuvieron estuviese estuvieseis estuviesen estuvieses estuvimos estuviste estuvisteis estuviéramos
  estuviésemos estuvo está estábamos estáis están estás esté estéis estén estés fue fuera fuerais fueran fueras
  fueron fuese fueseis fuesen fueses fui fuimos fuiste fuisteis fuéramos fuésemos ha habida habidas habido habidos
  habiendo habremos habrá habrán habrás habré habréis habría habríais habríamos habrían habrías habéis había habíais
  habíamos habían habías han has hasta hay haya hayamos hayan hayas hayáis he hemos hube hubiera hubierais hubieran
  hubieras hubieron hubiese hubieseis hubiesen hubieses hubimos hubiste hubisteis hubiéramos hubiésemos hubo la las
  le les lo los me mi mis mucho muchos muy más mí mía mías mío míos nada ni no nos nosotras nosotros nuestra
  nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque que quien quienes qué se sea seamos
  sean seas seremos será serán serás seré seréis sería seríais seríamos serían serías seáis sido siendo sin sobre
  sois somos son soy su sus suya suyas suyo suyos sí también tanto te tendremos tendrá tendrán tendrás tendré
  tendréis tendría tendríais tendríamos tendrían tendrías tened tenemos tenga tengamos tengan tengas tengo tengáis
  tenida tenidas tenido tenidos teniendo tenéis tenía teníais teníamos tenían tenías ti tiene tienen tienes todo
  todos tu tus tuve tuviera tuvierais tuvieran tuvieras tuvieron tuviese tuvieseis tuviesen tuvieses tuvimos tuviste
  tuvisteis tuviéramos tuviésemos tuvo tuya tuyas tuyo tuyos tú un una uno unos vosotras vosotros vuestra vuestras
  vuestro vuestros y ya yo él éramos`;

const turkish = `
  acaba ama bana belki ben benden beni benim bin bir biri birkaç birkez biz bizden bizi bizim bu buna bunda bundan
  bunu bunun da daha dahi de defa diye doksan dokuz dört elli en gibi hem hep hepsi her hiç iki ile ise için
  katrilyon kez ki kim kimden kime kimi milyar milyon mu mü ne neden nerde nerede nereye niye niçin on ona ondan
  onlar onlardan onlari onu otuz sanki sekiz seksen sen senden seni senin siz sizden sizi sizin trilyon tüm ve veya
  ya yani yedi yirmi yüz çok çünkü üç`;

const listed = (words: string): readonly string[] => words.trim().split(/\s+/);

/** The words of each language that are too frequent to be indexed: those of mongod. */
export const stopWords: Readonly<Record<string, readonly string[]>> = {
  danish,
  dutch,
  english: listed(english),
  finnish,
  french: listed(french),
  german: listed(german),
  hungarian: listed(hungarian),
  italian,
  norwegian: listed(norwegian),
  portuguese,
  romanian,
  // The list of mongod lacks three letters.
  russian: russian.map(word => word.replace(/[пчщ]/g, '')),
  spanish: listed(spanish),
  swedish,
  turkish: listed(turkish),
};

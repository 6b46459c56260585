import { expect, test } from 'vitest';
import { createTextAnalysis } from '@tessera/text';

/** Words and their stems by Snowball 2.2. */
const stems: Readonly<Record<string, string>> = {
  danish: `
    ankenævnets:ankenævn beline:belin dyrskuerne:dyrsku fibrene:fibr idolers:idol kinakål:kinakål
    kladdebøgers:kladdebøg kostumet:kostum rensningens:rensning slegfredernes:slegfred tommetyk:tommetyk
    trivien:trivi tørveskæret:tørveskær udsprængt:udspræng viaduktens:viaduk vindinger:vinding`,
  dutch: `
    alcoholischer:alcoholischer bergschoenen:bergschoen kernreactoren:kernreactor klauwtjes:klauwtjes
    koekblikje:koekblikj marion:marion middenbermen:middenberm miljoenenpand:miljoenenpand opklopt:opklopt
    prospectors:prospector rolands:roland specialistes:specialistes thelen:thel tiewraps:tiewrap
    vogelgezang:vogelgezang zambiaans:zambiaan`,
  finnish: `
    talossa:talo taloissa:talo kirjastossa:kirjasto opiskelijoille:opiskelij järvellä:järv suomalaisten:suomalaist
    kävelemässä:kävelem rakastettuja:rakastetu ystävälleni:ystäv puhelimella:puhelim koirillaan:koir
    lukeminen:lukemin vanhempien:vanhemp työntekijöitä:työntekijö juoksemaan:juoksem kauniimpia:kauniimp
    päivittäin:päivit hallituksen:hallituks kaupungeista:kaupung sanomalehtiä:sanomaleht`,
  french: `
    accoua:accou agraineriez:agrain approchasse:approch aubergistes:auberg brellé:brel commissionnez:commission
    craindrons:craindron délirâtes:délir essaiera:essai exhéréderas:exhéred noyautée:noyaut ostraciserez:ostracis
    phrasions:phrasion rattachâtes:rattach remembré:remembr répugneraient:répugn`,
  german: `
    ehrlicher:ehrlich einpegeln:einpegeln erschaffendem:erschaff erträumtes:ertraumt ethischer:ethisch
    flugdiensten:flugdien gemetzel:gemetzel heilsameren:heilsam herumstehst:herumsteh hüters:hut
    nummerierens:nummerier teerendes:teerend unbegründetes:unbegrundet unbestimmten:unbestimmt
    untrennbare:untrennbar wuchsest:wuchs`,
  hungarian: `
    búvárlás:búvárlás dombortérkép:dombortérkép franciaágy:franciaágy hársas:hársas keresztfiadék:keresztfiade
    kismegye:kismegy krétavonalak:krétavonal kígyászölyv:kígyászölyv légzésmérő:légzésmérő palugyay:palugyay
    péteri:péter shvoy:shvoy stréberkedik:stréberked vigília:vigíl vízátvezető:vízátvezető üzemhelyiség:üzemhelyiség`,
  italian: `
    bolliti:boll cooperavamo:cooper digraderemmo:digrad facoltoso:facolt motivazioni:motiv prolungassero:prolung
    sdegnerò:sdegn smaglieremo:smagl sopportano:sopport sormontati:sormont spasimasti:spasimast spinsero:spinser
    subaffittati:subaffitt svolazzano:svolazz tematiche:temat torreggerai:torregg`,
  norwegian: `
    ammerutiner:ammerutin astmaplaga:astmaplag bifforbrukets:bifforbruk dobbeltløpet:dobbeltløp flakna:flakn
    flaumskade:flaumskad lysormer:lysorm nyinnmeldinga:nyinnmelding pinnevedens:pinneved skovlhjulet:skovlhjul
    taskenspillet:taskenspill tauer:tauer tiendedel:tiendedel tilkomst:tilkomst vannavgifta:vannavgift
    åndetruer:åndetru`,
  portuguese: `
    acenávamos:acen agradaremos:agrad arredondasses:arredond arruçastes:arruc calhavas:calh cambaleáreis:cambal
    divulgou:divulg encanteirarás:encanteir estilhaçáveis:estilhac estopinha:estopinh insurrecionou:insurrecion
    mentirolas:mentirol microgravara:micrograv oraculizei:oraculiz persistiria:persist rugiram:rug`,
  romanian: `
    calapăru:calapăru deviator:deviat displazie:displaz distractiv:distract dobrun:dobrun gogoșești:gogoșeșt
    identitar:identitar malonic:malon poleială:poleial redezabuzat:redezabuz remărire:remăr repunctându:repunct
    rereîntremat:rereîntrem zâmbire:zâmb împețită:împeț împrăștiere:împrăștier`,
  russian: `
    автоцентр:автоцентр аликанте:аликант беспечальный:беспечальн встраивать:встраива избрать:избра
    инерциальный:инерциальн комбинаторика:комбинаторик навозить:навоз накладывание:накладыван переделать:передела
    представить:представ рисовка:рисовк смутьянство:смутьянств снаряжающийся:снаряжа сомневающийся:сомнева
    строфантин:строфантин`,
  spanish: `
    bandera:bander cabellosa:cabell cegaja:cegaj chinchorrero:chinchorrer cimentación:ciment follisca:follisc
    honesta:honest laminado:lamin luliano:lulian pilvén:pilven recubrir:recubr rejoneo:rejone
    robustecdor:robustecdor semiótica:semiot tentáculo:tentacul trallazo:trallaz`,
  swedish: `
    betens:bet bragderika:bragderik bästsäljare:bästsälj diket:diket fotokopiors:fotokopior hanrejs:hanrej
    hushållets:hushållet härnadstågens:härnadståg kvarlämnat:kvarlämn kvartettens:kvartet känga:käng
    nykomling:nykomling nämnvärt:nämnvärt sjuttiofyra:sjuttiofyr upphittad:upphit ångerfulla:ångerfull`,
  turkish: `
    adaşsı:adaşsı aysallı:aysallı aşılamayınca:aşılamay biyoloğa:biyolok cadılığınızı:cadılık dayatıldık:dayatıl
    dedesizlik:dedesizlik ediverdik:ediver etüdüm:etüdü inlettiğimizi:inlettik makineci:makineç standımızdaki:standı
    tıktıkça:tıktıkça çoğalıver:çoğalıver üretmiyorsak:üretmiyor şendur:şendur`,
};

const analysis = createTextAnalysis();
const exact = { caseSensitive: false, diacriticSensitive: true };

test.each(Object.entries(stems))('stems words of %s as Snowball does', (language, pairs) => {
  const { terms } = analysis.analyzer(language, 3);
  for (const pair of pairs.trim().split(/\s+/)) {
    const [word, stem] = pair.split(':') as [string, string];
    expect([word, ...terms(word, exact, 'with stop words')]).toEqual([word, stem]);
  }
});

test.each([
  ['da', 'Jeg har heste', ['hest']],
  ['nl', 'Zij hebben paarden', ['paard']],
  ['en', "The horses don't", ['hors']],
  ['fi', 'Minulla on hevosia', ['hevos']],
  ['fr', 'Nous avons des chevaux', ['cheval']],
  ['de', 'Wir haben Pferde', ['pferd']],
  ['hu', 'Vannak nagyon lovak', ['lov']],
  ['it', 'Noi abbiamo cavalli', ['cavall']],
  ['nb', 'Jeg har hester', ['hest']],
  ['pt', 'Nós temos cavalos', ['caval']],
  ['ro', 'Noi am cai', ['cai']],
  ['ru', 'У меня лошади', ['лошад']],
  ['es', 'Nosotros tenemos caballos', ['caball']],
  ['sv', 'Jag har hästar', ['hast']],
  ['tr', 'Bizim ve onlar atlar', ['at']],
  ['none', 'The horses', ['the', 'horses']],
  ['klingon', 'The horses', ['the', 'horses']],
] as const)('omits the stop words of "%s", and finds the language by its code', (code, text, expected) => {
  const { terms } = analysis.analyzer(code, 3);
  expect(terms(text, { caseSensitive: false, diacriticSensitive: false }, 'without stop words')).toEqual(expected);
});

test.each(['danish', 'spanish'])('the name and the code of a language have the same analyzer: %s', name => {
  expect(analysis.analyzer(name, 3)).toBe(analysis.analyzer(name === 'danish' ? 'da' : 'es', 3));
});

test('the names of properties of objects are no languages', () => {
  expect(analysis.analyzer('constructor', 3)).toBe(analysis.analyzer('none', 3));
});

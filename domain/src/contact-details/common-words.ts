/**
 * The most frequent words of English, German, French, Italian and Spanish with at least three letters, without first
 * names. A word of this list is not the name of a person or of a host, as in `Ask.me` and `Telegram preferred`. Forms
 * such as plurals are missing where `isCommonWord` reads them from another word of the list.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'abajo abbastanza abbia abbiamo abc abend aber ability able about above abre absolute abstract abuse acá ' +
    'acaba acabo acabó academic academy acc accept acceptance access accessibility accessible accessories ' +
    'accessory accident accidente accommodation accordance according accordo account accuracy accurate acerca ' +
    'ach acheter achieve acid acqua acquisition across act acting action actionnaires active activité activities ' +
    'activity actor acts actual actuel actuelle actuellement acuerdo adams adapter add added adding addio ' +
    'addition additional addosso address adelante además adentro adesso adiós admin administration ' +
    'administrative administrator admission adónde adopted adoption ads adult advance advantage adventure ' +
    'advertise advertisement advice advisor advisory affaires affairs affari affect affiliate affordable afin ' +
    'africa african after afternoon afuera again against age aged agencies agency agenda agent agente ages agli ' +
    'ago agree agreement agricultural agriculture agua ahead ahí ahnung ahora aid aids ailleurs aim ainsi air ' +
    'aircraft aire airline airport ait aiutare aiuto alabama alarm alaska alberta album alcohol alcune alcuni ' +
    'alert algo algorithm alguien algún alguna algunos alive all alla allá alle allein alleine allem allemagne ' +
    'allí alliance allo allocated allora allow almeno almost alone along alors alpha already als also alt alte ' +
    'alten alter alternative although alto altra altre altri altro alumni always amateur amazing amazon amended ' +
    'amendment america américain américaine american amica amici amico amiga amigo amo among amor amore amount ' +
    'anal analysis analyst anche ancient ancora and anda andando andare andata andate andato andere anderen ' +
    'anders anderson andiamo angeles angle angst animal animation anime ann anne année anni anniversary anno ' +
    'annotation announced announcements annual año anoche anonymous años another ans answer antes anti antique ' +
    'any anyone anything anytime anyway anywhere aol apache apart apartment apparel apparently appeal appear ' +
    'appearance appel appena appendix apple appliances applicable applicant application applied applies apply ' +
    'appointed appointment approach appropriate approval approved approximately appuntamento apr april aqui aquí ' +
    'arab arbeit arbeiten arcade architecture archive are area argentina argument aria arizona arkansas arm arma ' +
    'armi arms army around arrangements array arriba arriva arrival arrivare arrivato arrivo arsch art article ' +
    'artist arts arzt ascolta asesino asi así asia asian ask asked asking asp aspect aspetta aspettare aspetti ' +
    'aspetto ass assassino assembly assessment asset assez assigned assist assistance assistant associate ' +
    'association assolutamente assume asunto ataque atención atlanta atlantic atom atrás attached attachment ' +
    'attack atteint attempt attend attention attenzione attimo attorney attractions attribute auch auction aucun ' +
    'aucune audience audio audit auf aug augen august aún aunque aura aurait aus aussi australia australian ' +
    'austria autant author authorities authority authorized auto automatic automatically automotive autour autre ' +
    'aux avaient availability available avait avant avanti avatar ave avec avenue aver average avere avesse ' +
    'avessi avete aveva avevi avevo avg aviation avión avoid avoir avons avrebbe avrei avresti avril avuto ' +
    'avvocato award aware awareness away awesome ayant ayer ayuda ayudar babe baby back background backup bad ' +
    'bag bagno bags baisse baja bajo balance bald ball baltimore bambina bambini bambino band bang bank ' +
    'bankruptcy banner baño banque bar barco bargain bars bas base baseball basic basis basket basketball bass ' +
    'basta bastante basura bath bathroom batteries battery battle bay bbc bbl beach bear beastiality beat ' +
    'beaucoup beautiful beauty bebé became because become bed bedeutet bedroom beds been beer bef before began ' +
    'begin beginning beh behalf behavior behind bei beide beiden beim being bekommen bel belge belgique belgium ' +
    'believe bell belle bello below belt bene bénéfice bénéficiaire benefit benissimo bere bereit berlin besoin ' +
    'besser best beste besten bestiality bestimmt bet beta bett between bevor beyond bible bid bidding bids bien ' +
    'big biggest bike billion bills bin binding bio biography biological biology bird birmingham birth birthday ' +
    'bis bisogno bisschen bist bit bits bitte biz black blackjack blanc blanco blank bleib bleiben bleibt blind ' +
    'block blog blogger blonde blood blow blowjob blue bluetooth blut board boat boca bocca bodies body bois ' +
    'bold bon bond bondage bone bonito bonne bons bonus boobs book bookmark boot border born boss boston both ' +
    'bottle bottom bought bound bourse bowl box boxes boy boys brain branch brand brauche brauchen brauchst ' +
    'braucht brava bravo brazil break breakfast breast bridge brief bright bring bringen bringt britain british ' +
    'broad broadband broadcast broken brother brought brown browse bruder brutto bruxelles buch buddy budget ' +
    'buen buena bueno buffalo buffer bug bugs build built bulk bulletin buon buona buongiorno buono bureau ' +
    'burning büro bus buscando buscar bush business busty busy but button buy buyer buying bytes caballeros ' +
    'cabeza cabinet cable cache cada cadre cafe café caja cake calculate calculator calendar california call ' +
    'cállate calle cam cama cambiar cambiare cambiato cambio cambridge came camera camino camp campaign campo ' +
    'campus can canada canadian cancel cancer candidate cane canon cap capabilities capable capacité capacity ' +
    'cape capelli capire capisci capisco capital capitán capitano capito capo captain capture car cara carajo ' +
    'carbon card care carefully caribbean carino cariño caro carolina carried carrier carry cars cart carte ' +
    'cartoon cartridge cas casa case cash casi casino caso cast castle cat catalog catalogue catch categories ' +
    'category catholic cats caught causa cause cavolo cazzo cds cela celebrity cell celle cellular celui cena ' +
    'census cent central centrale centre centro century cependant cerca cercando cercare cercato certain ' +
    'certaine certificate certification certified certo ces cet cette ceux chacun chain chair chairman challenge ' +
    'chamber championship chance change channel chapter chaque char character charge chart chat che cheap cheats ' +
    'check checkout cheese chef chemical chemistry cher chez chi chiama chiamare chiamata chiamato chiami chiamo ' +
    'chiaro chica chicago chicken chico chiedere chiedo chief chiesto chiffre child children china chinese chip ' +
    'chiunque chocolate choice choix choose chose chosen christ christian christmas christopher church ciao cibo ' +
    'cielo cierto cincinnati cinco cinema cinq cinque cio ciò cioe circa circle circuit circumstances cisco ' +
    'cities citizen citta città city ciudad civil claim claro clase class classic classical classification ' +
    'classified classique classroom clean clear clearance cleveland click client climate clinical clinton clip ' +
    'clock close clothes clothing club cnet coach coast coche cock code coeur coffee coins col cold ' +
    'collaboration collect collectables collectibles collection college color colorado colour colpa colpo ' +
    'columbia columbus column com combination combined come comedy comer comfort comfortable comic comida coming ' +
    'command comme comment commentary commerce commercial commission commit commitment committed committee ' +
    'common communication communities community como cómo compact compagnie compañía companies company compare ' +
    'comparison compatible compensation competition competitive completamente complete completion complex ' +
    'compliance component composition comprehensive compris compte computer computing comunque con concentration ' +
    'concept concern concerne concert conclusion concrete concurrence condition conduct conference confiance ' +
    'confidence configuration confirm conflict congress conmigo connect connecticut connection connu conoce ' +
    'conosci conosco conozco conseguir conseil consent conservation conserver consider consideration consiglio ' +
    'consistent consists console consolidation consommation const constant constitue constitutes constitution ' +
    'construction consultant consultation consulting consumer consumption contact contain contemporary content ' +
    'contest context contigo continua continue continuous conto contra contract contractor contraire contrast ' +
    'contrat contre contribute contribution contro control controllare controlled controller controllo ' +
    'convention conversion convert cook cookies cool cooperation coordinator copies copy copyright corazón core ' +
    'corner corpo corporate corporation corps corre correct corrections correcto corresponding cosa cose cosi ' +
    'così cost costa cotton could couleurs council count counties countries country county coup couple coupons ' +
    'courant cours course court cover coverage cpu crack craft crash crazy cream create creation création ' +
    'creative crede credere credevo credi credit crédit credo cree creek creer créer creí creo crew crime ' +
    'criminal crise crisis cristo criteria critical croissance cross crown cruise css cual cuál cualquier cuando ' +
    'cuándo cuanto cuánto cuarto cuatro cuenta cuerpo cui cuidado culo culpa cultural culture cum cumshot cuore ' +
    'cup cura currency current curriculum custom cut cute cutting cvs cycle czech dabei dachte dad dado dafür ' +
    'dai daily dakota dal dale dalla dalle damage dame damit dammi dance dangerous dank danke dann daño dans dar ' +
    'daran darauf dare darf dark darle darüber darum das dass data database date dating dato daughter davantage ' +
    'davanti davis davon davvero day days dazu dead deal dean dear death debate debe debemos deben debería ' +
    'deberíamos debian debo debt début dec december décembre decide décidé decir decirle decirme decirte ' +
    'decision décision deciso deck dedicated deep def default defense define definitely definition degli degree ' +
    'dei dein deine deinem deinen deja déjame dejar dejó del delaware delay delete deliver delivery dell della ' +
    'delle dello delta deluxe dem demand demande demás demasiado demo democracy democratic demonios den denen ' +
    'denke denken denkst denkt denmark denn density dental dentro denver départ department dependent depending ' +
    'depends deposit depression depth depuis der derecha derecho derived dernier des describe description desde ' +
    'desert deshalb design designated desire desk desktop désormais despite después destination detail detection ' +
    'detective determination determine detrás detroit detto deux dev devant deve devel develop development ' +
    'développement développer devenir devenu devi device devient devo devono devra devraient devrait día ' +
    'diabetes diablos diagnosis dial días diavolo dica dice dicen dicendo dich dicho dici diciendo dick dico ' +
    'dicono dictionary did die dieci died diese diesem diesen diet dietro diez diferente diff difference ' +
    'différence different différentes différents difficile difficult difícil diga digital digo dije dijeron ' +
    'dijiste dijo dildo dile dime dimensions dimmi dinero ding dinge dining dinner dio dios dir dire diré direct ' +
    'directement directeur direction director directories directory direi direkt dirlo dirmi dirti dirty ' +
    'disabilities disability disabled disaster disc disclaimer discount discover discovery disculpa disculpe ' +
    'discuss discussion disease dish disk disney disorders dispiace display dispose distance distributed ' +
    'distribution district dit diventare divers diversity divertente divertido dividende division dix dna ' +
    'dobbiamo doc doch doctor document documentation does dog dogs doing doit doivent doktor dólares dollar ' +
    'dollari dolor domain domaine domanda domande domani domestic donate donc donde dónde done donne donné dont ' +
    'door dopo dormir dormire dort dos dose dossier dot dottor dottore double doubt doute dove dovete doveva ' +
    'dovrebbe dovrei dovremmo dovresti dovuto down download downtown draft dragon drama dran drauf draw dream ' +
    'drei dress drin drink drive driven droit drop drüben drug dry dsl dual due durant durante duration durch ' +
    'durée dürfen during duro dutch duties duty dvd dvds dynamic each eagle earlier early earn earnings earth ' +
    'easier easily east eastern easy eat eating eben ecco echo echt economic économique economy edad edge edit ' +
    'edition editor editorial edt education educational effect effective effet efficiency efficient effort egal ' +
    'également egypt ehi eigenen eigentlich eight ein eine einem einen einer einfach einige einmal eins einzige ' +
    'either ejército elected election electric electrical electricity electronic element elementary éléments ' +
    'élevé eligible ella elle ello else eltern email emergency empezar emphasis empire employed employee ' +
    'employer employment empty enable encanta encima encontrar encontré encore encourage encyclopedia end ende ' +
    'ending endlich ends energy enfants enfin enforcement engine england english enhance enjoy enlarge enough ' +
    'ensemble ensuite ensure entendido enter enterprise entertainment entiendes entiendo entire entitled entity ' +
    'entonces entra entrambi entrar entrare entre entreprise entries entry entschuldigen entschuldigung environ ' +
    'environment environmental epa epinions episode epson equal equipment equipo equity equivalent era eran ' +
    'erano eras eravamo erde eres eri ericsson erinnern erklären ero erotic error errore erst erste ersten ' +
    'erzählen erzählt esa esas esattamente esatto escape escucha escuela ese ése eso esos especial espera ' +
    'esperando esperar espere espero esposa essen essential essere est esta está ésta estaba estaban establish ' +
    'estado estamos están estar estará estaré estate este esté éste estimate estime esto estoy estúpido estuve ' +
    'estuvo étaient était étant etc été ethernet ethics ethnic étrangers etwa euch eur eure euro europe european ' +
    'européen européenne eux evaluate evaluation even event eventually ever every everyday everyone everything ' +
    'évidemment evidence evil éviter evolution exact exactamente exam examination example excellent except ' +
    'exception excess exchange exciting exclusive execution executive exemple exercise exhibit exhibition exist ' +
    'existe existence exit exp expand expansion expect expenses expensive experience experimental expert ' +
    'expertise explain explanation explique explore export exposure express expression extended extension ' +
    'extensive extent external extra extraño extreme eye eyes fabric faccia facciamo faccio face facendo faceva ' +
    'fácil facile facilities facility fact factor factory faculty fahren fai faible fail failure fair faire fait ' +
    'faith fall falsch false falta famiglia familia familiar familie famille family fammi famous fan fand fanno ' +
    'fans fantastic fantastico fantasy faq faqs far fara farai fare faremo farlo farm farmi faro farò farti ' +
    'fashion fast fat fate father fatta fatti fatto faudra faut favor favore favorite favourite fax fear feature ' +
    'feb february federal fee feed feedback feel fees feet fehler felice feliz fellow felt female femme fermo ' +
    'fertig fest festa festival fetish feuer février few fiber fiction field fiesta fifth fig fight figli figlia ' +
    'figlio figure file filiale filing fill film filter fin final finalmente finance financial financier finche ' +
    'find finde finden fine finire finish finita finito finland fino fire firm firme first fiscal fish fit ' +
    'fitness five fix fixed flag flandre flash flat flexible flight floor florida flow fly flying focus fois ' +
    'folder folge folk follow fonction fond fondo font food foot football for force ford forecast foreign forest ' +
    'forever forget forgot form forma formal format formation forme formula formule forse fort forte fortement ' +
    'forth fortuna forum forward forza fosse fossi foster foto found foundation four fourth fox fra frage fragen ' +
    'frais frame framework franc france franklin fratello frau frauen free freedom frei french frente frequency ' +
    'frequently fresh fretta freund freunde freundin fri friday friend froh from front früh fruit ftp fuck fue ' +
    'fuego fuel fuera fueron fuerte fuerza fühle fui fuiste full fully fun funciona function functional fund ' +
    'fundamental fünf funktioniert funny funziona fuoco fuori für furniture further fut future futuro gab gain ' +
    'galleries gallery gambling game gaming gamma gamme ganar gang ganz ganze ganzen gap gar garage garden gas ' +
    'gate gateway gave gay gcc gear gebe geben gebracht gedacht gefallen gefällt gefühl gefunden gegangen ' +
    'gegeben gegen geh gehe gehen gehört gehst geht gekommen geld gemacht genau gender gene general général ' +
    'generale générale généralement generate generation genere generic genetic genial genitori genommen genre ' +
    'gens gente gentile genug georgia gerade german germany gern gerne gesagt geschafft geschichte gesehen ' +
    'gesicht gestern gestion get getan getötet getroffen gets getting gewesen geworden gia già giant gib gibt ' +
    'gift ging giocare gioco giornata giorni giorno giovane girl giro giu giù giuro giusta giusto give given ' +
    'giving glance glass glaube glauben glaubst gleich gli glielo global glossary glück glücklich gmt gnu goal ' +
    'god goes going gold golden golf gone good google got gott gourmet gouvernement government governor gps ' +
    'gracias gracioso grade grado graduate gran grande grandi grant graph graphic gratis gray grazie great ' +
    'greatest greece greek green grey grid gros ground group groupe grow growth grund grupo gruppo guarantee ' +
    'guard guarda guardare guardate guardian guerra guerre guess guest guidance guide guidelines guinea guitar ' +
    'gun gusta gustan gustaría gusto gut gute guten guter guy guys hab habe haben haber había habitación habla ' +
    'hablando hablar hablo habrá habría habt hace hacemos hacen hacer hacerlo hacia haciendo had haga hago hai ' +
    'hair hairy half hall hallo halt hält halten hambre hamilton hampshire han hand handbook hände handle hanno ' +
    'happen happy hará hard hardcore hardcover hardware haré haremos haría harris has hast hasta hat hate hatte ' +
    'hätte hatten hätten hattest hättest haus hause hausse haut have having hawaii hay haya haz hazlo head ' +
    'headlines health healthcare healthy hear heart heat heavy hecho height heiraten held helfen hell hello help ' +
    'helpful hemos hentai her here heritage hermana hermano hermosa herr herz heures heute hey hice hicieron ' +
    'hiciste hidden hide hier hierher high highest highlights highway hija hijo hilfe hill hilton him himmel ' +
    'himself hin hinter hip hire his hist historia historic historical history hit hits hiv hizo hobbies hoch ' +
    'hockey hoffe hola hold holdem hole holen holiday hölle hollywood holy hombre home homepage homme honda hong ' +
    'honor hop hope hör hora hören horror horse hört hospital host hot hotel hour house household houston how ' +
    'however hoy html hubiera huge human humano humor hund hundred hunter hunting hurricane husband iba ibm ice ' +
    'ich ici icon idaho idea ideal idee identification identified identify identity idiot idiota ido ieri igual ' +
    'ihm ihn ihnen ihr ihre ihrem ihren ihrer iii ill illegal illinois ils image imagine immagino immediate ' +
    'immer immigration impact implement implementation import importa importance important importante imposible ' +
    'impossible improve improvement inc incest inch incidente include incluso income incorporated increase ' +
    'incredibile increíble indeed independent index india indian indiana indicate indietro individual indonesia ' +
    'industrial industries industry influence info información information informazioni informed infrastructure ' +
    'ing initial initiative iniziato inizio injuries injury ink inn inner innovation innovative input inquiry ' +
    'ins insert inside insieme insomma inspection install installation instance instant instead institute ' +
    'institution instruction instructor instrument insurance int integrated integration intel intellectual ' +
    'intelligence intended intenzione interaction interactive interessa interest interface interior internal ' +
    'international internet interpretation interracial interview into introduced introduction invece inventory ' +
    'investigation investing investisseurs investment investor involved involving iowa iran iraq iré ireland ' +
    'irgendwas irgendwie irish irme iron isbn island iso israel issue ist italian italy item its itself ' +
    'izquierda jacket jahr jahre jahren jamais jamás jan january janvier japan japanese japon java javascript ' +
    'jazz jede jeden jeder jefe jemand jemanden jersey jesus jet jetzt jeu jeune jewellery jewelry jewish job ' +
    'jobs johnson join joint jon jones joue jouer jour journal journey joven joy judge judgment juego jugar juge ' +
    'juillet juin jul july jump jun june junge jungen jungs junior juntos just juste justice justo kam kämpfen ' +
    'kann kannst kansas kaum keep kein keine keinen kenne kennen kentucky kept kerl kernel key keyboard keys ' +
    'keyword kid kids kill kind king kingdom kit kitchen kits klar kleine kleinen knew know knowledge known komm ' +
    'komme kommen kommst kommt kong könig können könnt konnte könnte könnten könntest kopf korea körper krank ' +
    'krankenhaus krieg kriegen kumpel kurz lab label labor laboratory labour lack ladies lado lake lamento land ' +
    'landscape lane lang lange langsam language laptop laquelle large largement largest largo las lasci lascia ' +
    'lasciami lasciare lasciato laser lass lassen lasst lässt last late later latest latin latina laufen läuft ' +
    'launch lavorare lavoro law lawrence laws lawyer lay layer layout lbs lcd lch lead leadership league learn ' +
    'lease least leather leave leben lebt lecture led left leg legal legend legge legislation legislative legs ' +
    'lei leicht leid leisure lejos length lens lequel lernen les lesbian less lesson let lets letter letto ' +
    'letzte letzten leur leute leuten level lewis lhr lhre liability lib liberal libero liberty libraries ' +
    'library libre libro license licht liebe lieben liegt lies lieu life lifestyle lift light ligne like limit ' +
    'limousines lincoln lindo line línea linear lingerie link linux liquid lire list lista listen listo ' +
    'literature little live livecam living livre llama llamada llamado llamar llamo llc llegar llegó lleva ' +
    'llevar llevo load loan loca local located location lock loco lodge log logged logic logiciel login logo loi ' +
    'loin lol london londres long longtemps longue lontano look loop lord loro lors lorsque los lose loss lost ' +
    'lot lots louisiana lounge love low lower lowest ltd luce luck luego luft lugar lui lunch lungo lustig ' +
    'luxury luz mac macchina mach mache machen machine machst macht mad mädchen made madre maestro mag magari ' +
    'magazine magic magnetic mai mail main maine maintain maintenance maintenant mais maison major majorité ' +
    'majority make maker making mal mala malaysia maldición maldita maldito male malgré malo mama mamá mamma man ' +
    'manage management mañana manchester mandato manera mangiare mani mann männer mano manque manual ' +
    'manufacturer manufacturing many map mapping maps mar march marché marido marine marito marked market ' +
    'marketplace marks marque marriage married mars marshall maryland mas más mass massachusetts massage massive ' +
    'master matar match material math mathematics mató matrimonio matrix matter mattina mature maximum may maybe ' +
    'mayor mean meant measure measurement meat mechanical mechanism med media medical medicine médico medio ' +
    'medium medline meet meglio mehr meilleur meilleure mein meine meinem meinen meinst meister mejor melbourne ' +
    'member membership membres mémoire memorabilia memorial memory men menge meno mens mensaje mensch menschen ' +
    'mental mente mention mentre menu merchandise merchant mercury merda mes mesa mese mesh mesi message ' +
    'messaggio messenger messo mesure met metal meter method metro mettere metti mettre mexican mexico mezzo mía ' +
    'miami mich michigan micro mid middle mie miedo miei mientras mierda mieux might migliore mil mile milf ' +
    'milfhunter milioni military milk mille milliard million millionen millones min mind mine mini minimum ' +
    'mining minister ministre ministry minnesota minor minute minuten minuti minuto mio mío mir mira mire miren ' +
    'mirror mis misc miscellaneous mise misión misma mismo miss mission mississippi missouri mist mit mitad mix ' +
    'mixed mobile möchte mode model modem moderator modern modified modify modo module möglich moglie moi ' +
    'moindre moins mois moitié molecular molte molti molto mom moment momento mon monday monde mondial mondo ' +
    'money monitor monnaie monster montana montant month montre moon moore more morgen morir morire morning mort ' +
    'morta morte mortgage morti morto most mother motion motivo motor mount mountain mouse mouth mouvement move ' +
    'movement movie moving moyen moyenne mph mrs msn much mucha muchacho mucho muerte muerto mujer multi ' +
    'multimedia multiple mundo municipal murió muscle museum music musica música musical musik muss müssen musst ' +
    'musste must mutter mutual muy myself mysql mystery nach nächste nächsten nacht nada nadie naked name namen ' +
    'narrow nasa natale nation national nationwide native natural nature natürlich nave navidad navigate ' +
    'navigation navy nba neanche néanmoins near nearby nebraska necesita necesitamos necesito nécessaire ' +
    'necessarily necessary neck need negative negli negocio negro nehme nehmen nei neighborhood nein neither nel ' +
    'nella nelle nello nemmeno nena nennen nessun nessuna nessuno net netherlands nett nettement network neue ' +
    'neuen nevada never new newest newly news newsletter newspaper next nfl nice nicht nie niemals niemand ' +
    'niente night nimm niña nine ningún ninguna niño nintendo niveau nlg noch noche nochmal node noi noir noise ' +
    'nokia nom nombre nombreuses nombreux nome non none nor normal north northern northwest norway nos nosotros ' +
    'nostra nostre nostri nostro not notamment note notebook nothing notice noticias notification notify notre ' +
    'notte nous nouveau nouveaux nouvelle nov novel november novembre novia now nuclear nude nuestra nuestro ' +
    'nueva nuevo null nulla number numero numéro número numerous nummer nun nunca nuova nuovo nur nurse ' +
    'nutrition oak oben object objectif objective obligations observed obtain obvious occhi occhiata occhio ' +
    'occur occurred ocean oct october octobre ocurre oddio oder odio oeuvre off offer office official offline ' +
    'offre oficial oficina oft often oggi ogni ohio ohne oído oil ojos okay oklahoma old older oldest oltre ' +
    'omicidio once one ones ongoing online only onore ont ontario onto open opera operate operation operational ' +
    'opérations operator opinion oportunidad opportunities opportunity oppure optical optimization option ' +
    'optional ora oral orange orden order ordine ordnung ore oregon org organic organisation organization ' +
    'organized oriented origin original orlando orleans ormai ort ospedale other otherwise otra otro ottimo our ' +
    'out outdoor outlet outlook output outre outside outstanding over overall overview ovviamente own owned ' +
    'owner ownership oxford oye paar pace pacific pack package padre paese pagar page paid pain paint paio pair ' +
    'país pakistan palabra palm pan panel pants papa papá papà paper paperback papier par para paragraph ' +
    'parallel parameter parce pare parece parent parfois park parla parlando parlare parlato parle parli ' +
    'parliament parmi parola parole part parte partenaires parti participants participate participation ' +
    'particular particulier partie partir partner partnership party pas pasa pasado pasando pasar pase paso pasó ' +
    'pass passare passato passe passé passieren passiert passo password past patch patent path patient pattern ' +
    'paura pay payer paying payment paypal pays paz pazzo pcs pda pdf pdt peace peak peer peine película peligro ' +
    'pelo pen pena pendant penis pennsylvania pensa pensando pensar pensare pensato pensavo pense pensé pensi ' +
    'penso people peor pequeña pequeño per percent percentage perche perché perchè perder perdere perdido perdón ' +
    'perdu perfect perfecto perfetto perform performance perhaps period période perl permalink permanent ' +
    'permesso permet permettent permettre permis permiso permission permit permitted pero però perra perro perso ' +
    'person persona personal persone personne personnel perspective perte pet petit petite pets peu peut peuvent ' +
    'pezzo pharmacy phase philadelphia philippines philosophy phoenix phone photo photographs photography php ' +
    'physical physician physics piacciono piace piacere piacerebbe piano pic piccola piccolo pick pics picture ' +
    'pie piece pied piedi piensa pienso pilot pin pink pipe pipeline piso pistola pittsburgh piu più piuttosto ' +
    'place placement plain plan plane planet planned planning plant plasma plastic plate platform platinum platz ' +
    'play playstation please pleasure plein plot plug plupart plus plusieurs pme pmid pobre pocket poco podemos ' +
    'poder podía podría podríamos poetry poi point poker poland police policía policies policy political ' +
    'politics politique polizei polizia poll poner pool poor pop popular popularity population por porn porno ' +
    'porque port porta portable portal portare portato porte portefeuille portfolio portion portland porto ' +
    'portugal posible position positive possa possiamo possibile possibilité possibility possible possibly posso ' +
    'possono post postage postal posto postposted potential potentiel poter potere potete poteva potrebbe potrei ' +
    'potremmo potresti potter pottery potuto pounds pour pourquoi pourra pourraient pourrait pourtant pouvoir ' +
    'poverty power powerful practical practice pratique prayer pre précise prefer preferences preferred ' +
    'pregnancy pregnant prego pregunta premier premium prend prendere prendi prendo prendre preoccuparti ' +
    'preocupes preparation prepare prescription presence présence present présent presentation présente ' +
    'president président presidente preso presque press presse pression pressure presto pretty preuve prev ' +
    'prevent prevention preview previous prévisions prévoit prévu price prigione prima primarily primary prime ' +
    'primera primero primo prince principal principe principle print printable prior priority pris prise prison ' +
    'privacy private prix prize pro probabilmente probablemente probably problem problema probleme problemi ' +
    'procedure proceedings process processor processus prochain produce product production productivity produit ' +
    'profesor professional professionnels professor profile profit program programa programme progress ' +
    'progressive prohibited project projet promise promote promotion pronta pronti pronto proof proper ' +
    'properties property propia propos proposal propose propre proprio prossima prossimo protect protection ' +
    'protein protocol proud prova provare provato prove provide province provision próxima prueba psp pst ' +
    'psychology pub public publication publique published publisher publishing pubmed pude pudo pueblo pueda ' +
    'puede pueden puedo puerta puerto pues puesto puis puisque pull pulse pump punto puo può puoi purchase pure ' +
    'purple purpose pursuant push pussy put puta puttana putting python qty qua qual qualche qualcosa qualcuno ' +
    'quale qualified qualité quality qualsiasi qualunque quand quando quant quanti quantity quanto quarter quasi ' +
    'quatre quattro que qué queda quédate quei quel quella quelle quelli quello quelque queremos quería querida ' +
    'querido query questa queste questi question questo qui quick quien quién quiera quiere quieren quiero quiet ' +
    'quindi quisiera quite quizá quoi quote race racing radio ragazza ragazze ragazzi ragazzo ragione rail rain ' +
    'raise raison ram ran random range rank rape rapid rapide rapidement rápido rapport rapporto rare raro rate ' +
    'rather rating ratio raus raw razón reach reaction read ready real realidad réalisé réaliser réalité reality ' +
    'realmente realta rear reason reasonable receive récemment recent recherche recht recipe recognition ' +
    'recognized recommend recommendation record recovery recreation recruitment recuerda recuerdo red reden ' +
    'redest reduce reduction réduction réduire ref refer reference referred reflect reform regard region région ' +
    'regional register registration registry regresar regular regulation regulatory reicht rein related relating ' +
    'relation relationship relative relativement release relevant reliability reliable relief religion religious ' +
    'remain remember remote removal remove rendement rendre rent rental repair replace replacement replies reply ' +
    'report represent representation representative représente reprise republic request require requirement res ' +
    'research réseau reservation reserve residence resident residential resistance resolution resort resource ' +
    'respect respective respond responsable response responsibility responsible respuesta rest resta restare ' +
    'restaurant reste restent resto restrictions result résultat resume retail retirement retour retten return ' +
    'revanche revenu revenue reverse review revised revision revisione revolution rey rhode rice ricevuto rich ' +
    'richmond richtig ricordi ricordo ride ridge rien riesco right riguardo ring ringtone rise risk rispetto ' +
    'risque river road rob roba rock role roll rom roman romance rome room root ropa rouge round route row royal ' +
    'rss rubber rue ruhe ruhig rule run running runs runter rural russia russian sabe sabemos saben saber sabía ' +
    'sacco sache sachen sacramento safari safe safety sag sage sagen sagst sagt sagte sah sai said saint sait ' +
    'sal salary sale salir salle salt salve salvo same sample samsung san sand sangre sangue sanno sans santa ' +
    'santé sapere saperlo sapete sapeva sapevo sappiamo saputo sarà sarai saranno sarebbe sarei saro sat ' +
    'satellite satisfaction saturday save saving savoir saw say saying says sbagliato scale scan scelta scena ' +
    'scene schaffen schatz schau schedule scheint scheme schiff schlafen schlecht schlüssel schnell schon schön ' +
    'school schuld schule schwer schwester sci science scientific scientists scope scoperto score scotland ' +
    'scottish screen script scritto scuola scusa scusami scusate scusi sea seal search seas season seat seattle ' +
    'sec second secondary seconde secondo secret secretary secreto secteur section sector secure sécurité ' +
    'securities security see seed seeing seek seem seen segreto seguir segundo segura seguridad seguro sehe ' +
    'sehen sehr sei seid sein seine seinem seinen seis seit seite selbst select selection self sell selon ' +
    'semaine semana semble sembra semester semi seminar semplice semplicemente sempre señal senate send senior ' +
    'señor señora señorita sens sense sensitive senso sent senti sentido sentir sentire sentito sento senza sep ' +
    'separate september septembre sequence ser sera será serait sería serial série series serio serious seront ' +
    'serve service servicio servizio ses session sesso set sets settimana settimane setting settlement setup ' +
    'seul seule seulement seven several severe sex sexcam sexo sexual sexy shall shape share sharp shaved she ' +
    'sheet shell shemale shift ship shipped shipping shirt shoe shop shopping short shot should show shown sia ' +
    'siamo siano sich sick sicura sicurezza sicuro side sido sie sieh siehst sieht siemens siempre siendo ' +
    'siéntate siente siento sierra siete sign signal signature significa significant signifie signor signora ' +
    'signore signori signorina sigue siguiente silencio silver similar simple simplement simplemente simply ' +
    'simulation sin since sind singapore single sino siquiera sir sistema sister sit site sitemap sitio sitting ' +
    'situación situation situazione six size ski skill skin skip sky sleep slide slightly slot slow small smart ' +
    'smettila smith smoke smooth snow sobre soccer social sociale société society sofort soft software sogar ' +
    'sogno sohn soient soil soit sol sola solar sold soldi sole solid solito soll sollen sollte sollten solltest ' +
    'solo sólo soltanto solution some someone something sometimes somewhat sommes somos son sondern song sono ' +
    'sonst sont sony soon sopra sorella sorge sorgen sorry sort sorte sotto soul sound source sous south ' +
    'southern souvent soy spa space spain spam spanish sparato spät speak special speciale specialist specialty ' +
    'specie specific specifically specification specified specify specs spectrum speech speed spend spent spero ' +
    'spesso spiace spiel spielen spielt spirit spiritual split sponsor sport spot spread sprechen spricht spring ' +
    'spy spyware sql squadra square sra src srta sta stable stadt staff stage stai stainless stamps stand ' +
    'standard stanno stanza stare start stasera stata state statement stati static station statistical ' +
    'statistics stato stats status stava stavo stay steel stehen steht stellen step sterben stereo sterling ' +
    'stessa stesso stia stiamo stick still stimmt sto stock stone stop storage store storia stories storm story ' +
    'strada straight strange strano strategic stratégie strategies strategy stream street strength stress strike ' +
    'string strip strong stronzo structural structure stück student studies studio study stuff stunde stunden ' +
    'stupido style sua sub subito subject submission submit submitted subscribe subscription subsection ' +
    'substance substantial succede succedendo success successful successo sucede such suchen suck sue suena ' +
    'sueño suerte sufficient suffit suficiente suggest suggestions sui suis suit suitable suite suivre sujet sul ' +
    'sulla sulle sum summary summer summit sun sunday suo suoi super superior supone supongo supplied supplier ' +
    'supplies supply support supreme supuesto sur sure surface surgery surrounding surtout survey sus ' +
    'sustainable sweden sweet swimming swiss switch switzerland sydney symbol symptoms syntax system szene tab ' +
    'table tableau tag tage tagen tags taille taiwan take taken taking tal talk también tampa tampoco tan tandis ' +
    'tank tant tanto tape tard tarde tardi target task taste taught taux tax taxes tea teach team tech technical ' +
    'technique technologie technology teen teil tel tél telefon telefono teléfono telephone television tell ' +
    'telle temo temperature template temple tempo temporary temps ten tendance tendrá tenemos tener tenere tenga ' +
    'tengo tenía tenido tennessee tennis tenu term terme terminal terra terrain terre territory terrorism tesoro ' +
    'test testa testimonials teufel texas text textbooks texte thailand than thank that the theater theatre ' +
    'their them theme themselves then theory therapy there therefore these they thin thing think third this ' +
    'thongs those though thought thousand thread threat three through throughout throw thu thursday thus ticket ' +
    'tiempo tiene tienen tieni tient tierra tiers tight till time tiny tío tip tipo tips tissue title titre tits ' +
    'tizio tja tochter tod toda todavía today todo together told toll toma tomar tomorrow tone tonight tonto too ' +
    'took tool top topic torna tornare tornato torno toronto tot total töten touch toujours tour tourism ' +
    'tournament tous tout toute toutefois toward tower town toy toyota toys tra trabajando trabajar trabajo ' +
    'track trackback trade trademark traditional traduzione traffic trail train traitement traje tranquilo ' +
    'transaction transfer transit transition translation transmission transport transportation tras trasero ' +
    'trata tratando trato tratta travail travailler travailleurs travaux travel travers tre treat treatment tree ' +
    'treffen tren tres trial tried trimestre trinken trip tripadvisor trois trop tropical troppo trouble trouve ' +
    'trova trovare trovato truck true truly trust truth try trying tua tube tue tuesday tun tuo tuoi tür turkey ' +
    'turn tus tust tut tutorial tutta tutte tutti tutto tuve tuvo tuyo twenty twice twin two typ type typen ' +
    'typical über überall überhaupt uccidere ucciso uds ufficio uhr ultima última ultimate ultimo último ultra ' +
    'una unable unas und under underground understand une unfortunately unica única unico único union uniprotkb ' +
    'unique uniquement unit universal universe universities university unix unknown unless unlimited uno unos ' +
    'uns unser unsere unserem unseren unsubscribe unten unter until uomini uomo upcoming update upgrade upload ' +
    'upon upper ups upskirt urban url usa usage usar usare usb uscire usd use used useful user username uses ' +
    'using usr usted usual utah utc utilities utility vacation vada vado vai vale valentine valeur valid valley ' +
    'valuable value vámonos vamos van vancouver vanno var variable variety various vary vas vat vater vaut vaya ' +
    'vecchia vecchio veces vector vede vedere vederti vedi vediamo vedo vegas vehicle veloce vemos ven vendor ' +
    'vendre venga venido venir venire venite vente venuta venuto veo ver vera veramente verdad verdammt ' +
    'vergessen verita verità véritable verlassen verlieren verlo verloren vermont vero verrückt vers version ' +
    'verso verstanden verstehe verstehen versuche versuchen versucht verte vertical very verzeichnis ves vete ' +
    'veut vez vhs via viaggio viaje vice vicino victims victory vida video vie viejo viel viele vielen ' +
    'vielleicht viene vienen vieni vient vier vietnam view villa village ville vine vino vintage vinyl vio ' +
    'violence virgin virtual virus visa visible vision visit visitor vista viste visto visual vita vite vitesse ' +
    'vittima vive vivere vivir vivo voce voglia vogliamo voglio vogliono voi voice void voie voip voir voire ' +
    'voit voiture vol volete voleva volevi volevo voll völlig volta voltage volte volume volunteer voluto volver ' +
    'vom von vont vor vorbei vorrei vos vostra vostri vostro vote voting votre vous voy voyeur voz vrai vraiment ' +
    'vue vuelta vuelto vuelve vuoi vuol vuole waffe waffen wagen wahl wahr während wahrheit wait wales walk wall ' +
    'wallonie wallpaper wann want war wäre waren wären warm warning warranty wars warst warte warten warum was ' +
    'washington wasser waste watch water wave way ways weapons wear weather web weblog webmaster website wed ' +
    'wedding wednesday week weekend weg wegen weh weight weil weiss weit welche welcome welfare well welt wenig ' +
    'wenn went wer werde werden were west western wet what whatever wheel when where whether which while white ' +
    'who whole wholesale whom whose why wichtig wide width wie wieder wieso wife wikipedia wild wildlife will ' +
    'williams willst wilson win wind window wine wing winner winning winter wir wird wire wireless wirklich ' +
    'wirst wisconsin wish wissen with within without woche wochen woher wohl wollen wollte wollten wolltest ' +
    'woman women won wonder wonderful wood word worden work workplace workshop world worldwide worse worst wort ' +
    'worth would wow write written wrong wrote wurde würde wurden würden würdest wusste www wyoming xbox xml xxx ' +
    'yahoo yeah year yellow yes yesterday yet yeux york you young your yourself youth zealand zeigen zeit zero ' +
    'ziemlich zimmer zio zip zitto zone zoom zuerst zukunft zum zur zurück zusammen zwar zwei zwischen'
  ).split(' '),
);

# Figures of R MASS::polr for the data sets in ordinal_cases/, written to ordinal_figures.json.
#
#   Rscript tests/oracle/polr.R          (needs the packages MASS and jsonlite)
#
# polr asks for three levels or more, so that two are fitted by glm: with
# logit P(y = first) = threshold - x'b the threshold is minus the intercept.

suppressMessages(library(MASS))
library(jsonlite)

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))

figures_of <- function(path) {
  data <- read.csv(path)
  data$y <- factor(data$y, levels = sort(unique(data$y)), ordered = TRUE)
  if (nlevels(data$y) == 2) {
    fit <- glm(y ~ ., data = data, family = binomial, control = glm.control(epsilon = 1e-14))
    second <- unname(fitted(fit))
    probability <- cbind(1 - second, second)
    found <- list(coef = unname(coef(fit)[-1]), threshold = list(-coef(fit)[[1]]))
  } else {
    # The steps of polr end by the relative change of the likelihood: the least there is.
    fit <- polr(y ~ ., data = data, control = list(reltol = 1e-16, maxit = 5000))
    stopifnot(fit$convergence == 0)
    probability <- fitted(fit)
    found <- list(coef = unname(coef(fit)), threshold = unname(fit$zeta))
  }
  c(found, list(log_likelihood = as.numeric(logLik(fit)), first_rows = unname(probability[1:5, ])))
}

paths <- sort(list.files(file.path(here, "ordinal_cases"), pattern = "[.]csv$", full.names = TRUE))
names(paths) <- sub("[.]csv$", "", basename(paths))
figures <- c(list(versions = list(R = paste(R.version$major, R.version$minor, sep = "."),
                                  MASS = packageDescription("MASS")$Version)),
             lapply(paths, figures_of))
# digits = NA writes 15 significant digits.
text <- toJSON(figures, auto_unbox = TRUE, digits = NA, pretty = 2)
writeLines(text, file.path(here, "ordinal_figures.json"))
